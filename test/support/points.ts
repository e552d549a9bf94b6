import type { Ledger } from 'holdfast/ledger';

/** Where an attempt can be stopped: on either side of the two things that a ledger is asked for. */
export type Point = 'before-claim' | 'after-claim' | 'before-settle' | 'after-settle';

/** Every point, in the order in which an attempt passes them. */
export const points: readonly Point[] = [
  'before-claim',
  'after-claim',
  'before-settle',
  'after-settle',
];

/** What an attempt passes: it goes on when the promise resolves. */
export type Gatekeeper = (point: Point, key: string) => Promise<void>;

/** Returns the ledger with a gatekeeper before and after its claims and settles. */
export function guardedLedger(ledger: Ledger, pass: Gatekeeper): Ledger {
  return {
    ...ledger,
    claim: async (request) => {
      await pass('before-claim', request.key);
      const answer = await ledger.claim(request);
      if (answer.kind === 'claimed') await pass('after-claim', request.key);
      return answer;
    },
    settle: async (claim, end) => {
      await pass('before-settle', claim.key);
      const answer = await ledger.settle(claim, end);
      await pass('after-settle', claim.key);
      return answer;
    },
  };
}
