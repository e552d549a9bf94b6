import { createHash } from 'node:crypto';
import type { ClaimRequest, Ledger, SettledEnd } from '../../ledger/index.js';

/** One way to claim an effect and to settle it. */
export type Pair = {
  readonly run: (key: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

export const leaseMs = 60_000;
const fingerprint = createHash('sha256').update('the arguments').digest('hex');

/** What each effect ends with. */
export const ending = {
  kind: 'done',
  effect: { kind: 'result', value: { refundId: 'refund-17', amountCents: 1_250 } },
} as const satisfies SettledEnd;

/** Returns what is asked for a key. */
export function requestFor(key: string): ClaimRequest {
  return {
    key,
    fingerprint,
    ownIdentity: false,
    owner: `the attempt of ${key}`,
    leaseMs,
    onUnknown: 'resend',
    keyWindowMs: 86_400_000,
    about: {
      namespace: 'default',
      workflowId: `the workflow of ${key}`,
      runId: 'the-run',
      tool: 'refund',
      downstream: 'shop',
    },
  };
}

/** Returns the ledger's own way. */
export function ledgerPair(ledger: Ledger): Pair {
  return {
    run: async (key) => {
      const answer = await ledger.claim(requestFor(key));
      if (answer.kind !== 'claimed') throw new Error(`${key}: ${answer.kind}`);
      await ledger.settle(answer.claim, ending);
    },
    close: () => ledger.close(),
  };
}
