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
  /** Whether a retry after it is paid from the call's share of the plan. */
  readonly planShare: 'none' | 'one-if-retried';
};

const failed = { workflowBreaker: 'failure', planShare: 'one-if-retried' } as const;
const hopeless = { workflowBreaker: 'failure', planShare: 'none' } as const;
const answered = { workflowBreaker: 'neutral', planShare: 'one-if-retried' } as const;
const uncounted = { workflowBreaker: 'neutral', planShare: 'none' } as const;
const unseen = { workflowBreaker: 'nothing', planShare: 'none' } as const;

/** The table "What each end of an attempt does" of spec.md, section 5. */
export const attemptEnds: Readonly<Record<AttemptEnd, AttemptEffects>> = {
  success: { workflowBreaker: 'success', planShare: 'none' },
  server: failed,
  network: failed,
  overloaded: failed,
  timeout: failed,
  'rate-limit': answered,
  quota: hopeless,
  conflict: answered,
  unknown: hopeless,
  auth: answered,
  'invalid-request': answered,
  'not-found': answered,
  'context-length': answered,
  'content-filter': answered,
  validation: answered,
  cancelled: uncounted,
  'wait-claim': uncounted,
  'wait-limiter': uncounted,
  interrupted: uncounted,
  refused: unseen,
  replayed: unseen,
  'not-started': uncounted,
};
