import type { ErrorClass } from '../budget/classify-types.js';
import type { WaitDetail } from '../contract/call-header.js';
import type { Effect } from '../contract/effect.js';
import type { Mode } from '../contract/policy.js';

/**
 * What one run's history tells, in plain JSON: of any workflow, with holdfast or without. Times are epoch
 * milliseconds by the server's clock, durations milliseconds; what a history doesn't tell is null.
 */
export type RunFacts = {
  readonly namespace: string | null;
  readonly workflowId: string;
  readonly runId: string;
  readonly workflowType: string;
  readonly taskQueue: string;
  readonly status: RunStatus;
  readonly startedAt: number;
  /** Null while it runs. */
  readonly endedAt: number | null;
  /** Number of the workflow's attempt, from 1; above 1 its own retry policy started it again. */
  readonly attempt: number;
  /** Of the workflow itself; null where it isn't retried. */
  readonly retryPolicy: RetryPolicyFacts | null;
  readonly executionTimeoutMs: number | null;
  readonly runTimeoutMs: number | null;
  readonly parent: { readonly workflowId: string; readonly runId: string } | null;
  /** The run before, where continue-as-new, a retry or a schedule made this one. */
  readonly continuedFrom: string | null;
  /** The run that followed by continue-as-new, a retry or a schedule. */
  readonly continuedAs: string | null;
  /** Type and message of what ended it, where that was a failure. */
  readonly failure: FailureFacts | null;
  /** True where the run's events show holdfast's gate: a start header, a call header or a patch. */
  readonly isGoverned: boolean;
  readonly searchAttributes: Readonly<Record<string, unknown>>;
  readonly events: number;
  /** As the last workflow task, or the server's description, tells it; 0 where neither does. */
  readonly historyBytes: number;
  readonly activities: readonly ActivityFacts[];
  readonly children: readonly ChildFacts[];
};

/** How a run stands. */
export type RunStatus =
  | 'running'
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'terminated'
  | 'timed-out'
  | 'continued-as-new';

/** A retry policy as the server holds it. `maximumAttempts` 0 means without limit. */
export type RetryPolicyFacts = {
  readonly initialIntervalMs: number;
  readonly backoffCoefficient: number;
  readonly maximumIntervalMs: number | null;
  readonly maximumAttempts: number;
  readonly nonRetryableErrorTypes: readonly string[];
};

/** One scheduling of an activity. The gate may schedule one call several times (`call.key` ties them together). */
export type ActivityFacts = {
  readonly eventId: number;
  readonly activityId: string;
  readonly type: string;
  /** Whether the workflow's own worker ran it: of such a one a history tells neither policy nor timeouts. */
  readonly isLocal: boolean;
  /** Whether it ended in the run that a reset made this one of: it stands in the histories of both. */
  readonly isCopied: boolean;
  readonly taskQueue: string;
  readonly scheduledAt: number;
  /** Start of the last attempt; null where none is recorded, as of a local activity. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly end: ActivityEnd;
  /** Attempts that the server started, by the number of the last one; at least so many where it isn't known. */
  readonly attempts: number;
  /** False where no event tells: it is pending and nobody asked the server, or it ended between two attempts. */
  readonly attemptsKnown: boolean;
  /** The failure that ended it, else the last one that was retried (of the Started event or the pending activity). */
  readonly lastFailure: FailureFacts | null;
  /** Wait before the last attempt that the failure before it asked for; null where the retry policy set it. */
  readonly lastDelayMs: number | null;
  /** When the next attempt is due; null unless it is pending and waits for one. */
  readonly nextAttemptAt: number | null;
  /** Why the server didn't retry (MAXIMUM_ATTEMPTS_REACHED, NON_RETRYABLE_FAILURE, TIMEOUT, ...); null elsewhere. */
  readonly retryState: string | null;
  readonly retryPolicy: RetryPolicyFacts;
  readonly timeouts: {
    readonly scheduleToCloseMs: number | null;
    readonly scheduleToStartMs: number | null;
    readonly startToCloseMs: number | null;
    readonly heartbeatMs: number | null;
  };
  readonly summary: string | null;
  /** What holdfast's header and envelope say; null for an activity that no gate has passed. */
  readonly call: GovernedCallFacts | null;
};

/**
 * How a scheduling ended. `wait` and `interrupted`: the gate may schedule the call again, under the same activity
 * id. `abandoned`: the run ended before it.
 */
export type ActivityEnd =
  | 'pending'
  | 'completed'
  | 'failed'
  | 'timed-out'
  | 'canceled'
  | 'wait'
  | 'interrupted'
  | 'abandoned';

/** A failure as a history holds it; of the chain of causes the one that says most. */
export type FailureFacts = {
  readonly message: string;
  /** The application failure's type, or `TIMEOUT_TYPE_START_TO_CLOSE` and the like; null where there is none. */
  readonly type: string | null;
  readonly nonRetryable: boolean;
  /** The class of `src/budget/classify`, by what the failure says. */
  readonly class: ErrorClass;
  /**
   * Whether that class is worth a retry. A plain failure of no known class is, as Temporal itself has it, unless it
   * is marked as non-retryable.
   */
  readonly retryable: boolean;
};

/**
 * What the gate and the worker's half said of a call. Null where the history doesn't tell: it is pending, was
 * cancelled between attempts, ran on a worker without holdfast, or a payload codec keeps it.
 */
export type GovernedCallFacts = {
  readonly downstream: string;
  readonly effect: Effect;
  readonly mode: Exclude<Mode, 'off'>;
  readonly tenant: string | null;
  readonly key: string | null;
  /** Retries that the plan gave the call. */
  readonly share: number;
  /** Attempts that failed in earlier schedulings of the call. */
  readonly failedBefore: number;
  /** Failed attempts by the sums, those of earlier schedulings included. */
  readonly failedAttempts: number | null;
  readonly tokensUseful: number | null;
  /** Of all schedulings of the call so far. */
  readonly tokensWasted: number | null;
  /** Millionths of a currency unit; null where the model's price isn't known, too. */
  readonly costUsefulMicros: number | null;
  /** Of all schedulings of the call so far; null where an attempt's price isn't known, too. */
  readonly costWastedMicros: number | null;
  /** Whether the answer came from the ledger and nothing was sent. */
  readonly isReplayed: boolean;
  /** Why the worker's half ended the retries (`retry-budget`, `token-budget`, `breaker-open`, ...). */
  readonly stop: string | null;
  /** What it gave its slot back for, where it ended so. */
  readonly wait: { readonly what: WaitDetail['what']; readonly waitMs: number } | null;
};

/** One start of a child workflow. */
export type ChildFacts = {
  readonly eventId: number;
  readonly workflowId: string;
  readonly runId: string | null;
  readonly workflowType: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly status: RunStatus | 'not-started';
  /** Null where the child isn't retried. */
  readonly retryPolicy: RetryPolicyFacts | null;
};
