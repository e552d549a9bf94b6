import type { ClaimAnswer, ClaimRequest, HeldClaim, Ledger } from '../../src/ledger/ledger.js';

/** A ledger in a database of a test's own. */
export type LedgerFixture = {
  readonly ledger: Ledger;
  /** Opens the same database once more, as another process would. */
  readonly openAgain: () => Promise<Ledger>;
  /** Runs a statement beside the ledger. */
  readonly execute: (statement: string) => Promise<readonly Record<string, unknown>[]>;
  /** Takes the database away, as a dead disk or server would. */
  readonly breakStore: () => Promise<void>;
  readonly dispose: () => Promise<void>;
};

/** Opens a ledger in an empty database. */
export type OpenFixture = (options?: { readonly retentionMs?: number }) => Promise<LedgerFixture>;

/** Returns a test's function, which gets a ledger of its own that goes when it ends. */
export function withLedger(
  open: OpenFixture,
  run: (fixture: LedgerFixture) => Promise<void>,
): () => Promise<void> {
  return async () => {
    const fixture = await open();
    try {
      await run(fixture);
    } finally {
      await fixture.dispose();
    }
  };
}

/** Lets time pass for what is stored: the database's clock is nobody's to turn. */
export async function elapse({ execute }: LedgerFixture, elapsedMs: number): Promise<void> {
  const columns = ['lease_until', 'first_claimed_at', 'claimed_at', 'settled_at'];
  const earlier = columns.map((column) => `${column} = ${column} - ${elapsedMs}`);
  await execute(`update holdfast_effects set ${earlier.join(', ')}`);
}

/** Returns a claim's request: key `key-1`, a lease of a minute, a key window of a day, resent where unknown. */
export function request(changes: Partial<ClaimRequest> = {}): ClaimRequest {
  return {
    key: 'key-1',
    fingerprint: 'arguments-1',
    ownIdentity: false,
    owner: 'owner-1',
    leaseMs: 60_000,
    onUnknown: 'resend',
    keyWindowMs: 86_400_000,
    about: {
      namespace: 'default',
      workflowId: 'ticket-1',
      runId: 'run-1',
      tool: 'refund_order',
      downstream: 'orders',
    },
    ...changes,
  };
}

/** Claims, and throws where the claim is refused. */
export async function claimed(
  ledger: Ledger,
  changes: Partial<ClaimRequest> = {},
): Promise<HeldClaim> {
  const answer: ClaimAnswer = await ledger.claim(request(changes));
  if (answer.kind !== 'claimed') throw new Error(`expected a claim, got ${JSON.stringify(answer)}`);
  return answer.claim;
}

/** An effect that has happened with a result. */
export function done(value: unknown) {
  return { kind: 'done', effect: { kind: 'result', value } } as const;
}
