import type { ErrorClass } from './classify-types.js';

/** Every way in which one attempt, or the wait for one, can end. */
export type AttemptEnd =
  | 'success'
  | ErrorClass
  /** The ledger holds the key for another live attempt. */
  | 'wait-claim'
  /** The limiter or the bulkhead had no room. */
  | 'wait-limiter'
  /** The worker was lost or shut down. */
  | 'interrupted'
  /** The breaker, the ratio, the tokens or the share said no before anything ran. */
  | 'refused'
  /** The stored result of a finished effect. */
  | 'replayed'
  /** A timeout before any worker started: zero attempts. */
  | 'not-started';

/** What an end does to each thing that counts. */
export type AttemptEffects = {
  /** How the breaker in workflow state counts it; `nothing` means that it isn't told. */
  readonly workflowBreaker: 'success' | 'failure' | 'neutral' | 'nothing';
  /** How the breaker that the worker keeps for the downstream counts it. */
  readonly workerBreaker: 'success' | 'failure' | 'neutral' | 'nothing';
  /** Whether it is one of the calls of which retries may be a share; a retry after it is then one of them, too. */
  readonly ratioWindow: 'call' | 'nothing';
  /** How its tokens are booked; `estimate` where nobody says what was used. */
  readonly tokens: 'useful' | 'wasted' | 'estimate' | 'as-known' | 'none';
  /** Whether a retry after it is paid from the call's share of the plan. */
  readonly planShare: 'none' | 'one-if-retried';
  /**
   * What becomes of a write's claim in the ledger: `released` may run again, `unknown` never blindly. An end that
   * proves that nothing was sent (a refused connection, a name that doesn't resolve) releases it all the same.
   */
  readonly ledgerClaim: 'stored' | 'released' | 'unknown' | 'none';
};

const failed = {
  workflowBreaker: 'failure',
  workerBreaker: 'failure',
  ratioWindow: 'call',
  planShare: 'one-if-retried',
  tokens: 'wasted',
  ledgerClaim: 'unknown',
} as const;
const answered = {
  workflowBreaker: 'neutral',
  workerBreaker: 'neutral',
  ratioWindow: 'call',
  planShare: 'one-if-retried',
  tokens: 'wasted',
  ledgerClaim: 'released',
} as const;
const uncounted = {
  workflowBreaker: 'neutral',
  workerBreaker: 'neutral',
  ratioWindow: 'nothing',
  planShare: 'none',
  tokens: 'none',
} as const;
const unseen = {
  workflowBreaker: 'nothing',
  workerBreaker: 'nothing',
  ratioWindow: 'nothing',
  planShare: 'none',
  tokens: 'none',
  ledgerClaim: 'none',
} as const;

/** The table "What each end of an attempt does" of spec.md, section 5. */
export const attemptEnds: Readonly<Record<AttemptEnd, AttemptEffects>> = {
  success: {
    workflowBreaker: 'success',
    workerBreaker: 'success',
    ratioWindow: 'call',
    planShare: 'none',
    tokens: 'useful',
    ledgerClaim: 'stored',
  },
  server: failed,
  network: failed,
  overloaded: failed,
  timeout: { ...failed, tokens: 'estimate' },
  'rate-limit': { ...answered, tokens: 'none' },
  quota: { ...failed, planShare: 'none', tokens: 'none', ledgerClaim: 'released' },
  conflict: answered,
  unknown: { ...failed, planShare: 'none' },
  auth: answered,
  'invalid-request': answered,
  'not-found': answered,
  'context-length': answered,
  'content-filter': answered,
  validation: answered,
  cancelled: { ...uncounted, tokens: 'wasted', ledgerClaim: 'unknown' },
  'wait-claim': { ...uncounted, ledgerClaim: 'none' },
  'wait-limiter': { ...uncounted, ledgerClaim: 'released' },
  interrupted: { ...uncounted, tokens: 'as-known', ledgerClaim: 'unknown' },
  refused: unseen,
  replayed: unseen,
  'not-started': { ...uncounted, ledgerClaim: 'none' },
};
