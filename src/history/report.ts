import { callsOf, type Schedulings } from './call-schedulings.js';
import { countedAttempts } from './counted-attempts.js';
import { isInVain } from './in-vain.js';
import type { ActivityFacts, FailureFacts, RetryPolicyFacts, RunFacts } from './run-facts.js';

/** Where a workflow's attempts went, in plain JSON. Durations are milliseconds. */
export type HistoryReport = {
  readonly runs: readonly RunReport[];
  /** Over all runs, the types with most retries first. */
  readonly types: readonly TypeReport[];
  readonly totals: Totals;
};

/** One run of the workflow. */
export type RunReport = Pick<
  RunFacts,
  | 'namespace'
  | 'workflowId'
  | 'runId'
  | 'workflowType'
  | 'status'
  | 'startedAt'
  | 'endedAt'
  | 'attempt'
  | 'isGoverned'
  | 'failure'
  | 'events'
  | 'historyBytes'
> & { readonly calls: readonly CallReport[] };

/** One call: an activity, with all schedulings that the gate made of it. */
export type CallReport = {
  readonly type: string;
  /** Whether the workflow's own worker ran it. */
  readonly isLocal: boolean;
  readonly summary: string | null;
  readonly activityId: string;
  readonly end: ActivityFacts['end'];
  readonly schedulings: number;
  /** Attempts that were sent, those under way included; at least so many where `attemptsKnown` is false. */
  readonly attempts: number;
  readonly attemptsKnown: boolean;
  readonly retries: number;
  readonly lastFailure: FailureFacts | null;
  readonly retryState: string | null;
  /**
   * From the first scheduling to the start of the last attempt, where there was an earlier one: all attempts before
   * the last, and all waits. A history doesn't hold when attempts before the last began. Of a call that waits for its
   * next attempt: until that is due.
   */
  readonly beforeLastAttemptMs: number;
  /** Of that, what the retry policy and the failure's own delay set as waits; null where the gate set them, and for a local activity. */
  readonly backoffMs: number | null;
  /** From the scheduling to the start of the only attempt: the wait for a worker. */
  readonly queuedMs: number;
  /** Length of the last attempt; null where it hasn't ended or never began. */
  readonly lastAttemptMs: number | null;
  /** Null where no gate has told. */
  readonly spent: Spent | null;
  /** Null for an activity that no gate has passed. */
  readonly gate: GateReport | null;
};

/** Tokens, and millionths of a currency unit; money is null where the price of an attempt isn't known. */
export type Spent = {
  readonly tokensUseful: number;
  readonly tokensWasted: number;
  readonly costUsefulMicros: number | null;
  readonly costWastedMicros: number | null;
};

/** What the gate and the worker's half did about a call. */
export type GateReport = {
  readonly downstream: string;
  readonly effect: string;
  readonly isObserved: boolean;
  /** Retries that the plan gave it. */
  readonly share: number;
  readonly interruptions: number;
  readonly waits: readonly { readonly what: string; readonly waitMs: number }[];
  /** Why the worker's half ended the retries. */
  readonly stop: string | null;
  /** Whether the ledger had the answer, so that nothing was sent. */
  readonly isReplayed: boolean;
};

/** What the calls of one type, or all calls, came to. */
export type Totals = {
  readonly calls: number;
  readonly attempts: number;
  readonly retries: number;
  /** Attempts for each call; null without calls. */
  readonly amplification: number | null;
  /** Calls that ended without an answer. */
  readonly unanswered: number;
  readonly beforeLastAttemptMs: number;
  /** Retries of calls that were lost to a failure of a class that no retry mends. */
  readonly retriesInVain: number;
  /** Null where no gate has told. */
  readonly spent: Spent | null;
};

/** The calls of one activity type. */
export type TypeReport = Totals & {
  readonly type: string;
  readonly lastFailure: FailureFacts | null;
};

/** Reports runs of one workflow, in their order. */
export function reportRuns(runs: readonly RunFacts[]): HistoryReport {
  const reports = runs.map(reportRun);
  const calls = reports.flatMap((run) => run.calls);
  const types = [...new Set(calls.map(({ type }) => type))].map((type) => {
    const own = calls.filter((call) => call.type === type);
    const lastFailure = own.reduce<FailureFacts | null>(
      (last, call) => call.lastFailure ?? last,
      null,
    );
    return { type, ...totalsOf(own), lastFailure };
  });
  types.sort((one, other) => other.retries - one.retries || other.attempts - one.attempts);
  return { runs: reports, types, totals: totalsOf(calls) };
}

function reportRun(run: RunFacts): RunReport {
  const { namespace, workflowId, runId, workflowType, status, startedAt, endedAt } = run;
  const { attempt, isGoverned, failure, events, historyBytes } = run;
  return {
    namespace,
    workflowId,
    runId,
    workflowType,
    status,
    startedAt,
    endedAt,
    attempt,
    isGoverned,
    failure,
    events,
    historyBytes,
    calls: callsOf(run.activities).map(reportCall),
  };
}

function reportCall(schedulings: Schedulings): CallReport {
  const [first] = schedulings;
  const last = schedulings.at(-1) ?? first;
  const { attempts, isKnown } = countedAttempts(schedulings);
  const isInBackoff = last.nextAttemptAt !== null;
  const hadEarlier = schedulings.length > 1 || last.attempts > 1 || isInBackoff;
  const lastStartAt = last.startedAt ?? last.endedAt ?? last.nextAttemptAt ?? last.scheduledAt;
  const waited = Math.max(0, lastStartAt - first.scheduledAt);
  return {
    type: first.type,
    isLocal: first.isLocal,
    summary: first.summary,
    activityId: first.activityId,
    end: last.end,
    schedulings: schedulings.length,
    attempts,
    attemptsKnown: isKnown,
    retries: Math.max(0, attempts - 1),
    lastFailure: schedulings.reduce<FailureFacts | null>(
      (failure, each) => each.lastFailure ?? failure,
      null,
    ),
    retryState: last.retryState,
    beforeLastAttemptMs: hadEarlier ? waited : 0,
    backoffMs: first.call === null && !first.isLocal ? backoffOf(last) : null,
    queuedMs: hadEarlier ? 0 : waited,
    lastAttemptMs:
      last.startedAt === null || last.endedAt === null ? null : last.endedAt - last.startedAt,
    spent: spentOf(schedulings),
    gate: gateOf(schedulings),
  };
}

/** Waits between attempts by the retry policy; the last one may have been the failure's own. */
function backoffOf({ attempts, retryPolicy, lastDelayMs }: ActivityFacts): number {
  const retries = Math.max(0, attempts - 1);
  if (retries === 0) return 0;
  const last = lastDelayMs ?? intervalMs(retryPolicy, retries - 1);
  return sumOfIntervals(retryPolicy, retries - 1) + last;
}

function intervalMs(policy: RetryPolicyFacts, retry: number): number {
  const { initialIntervalMs, backoffCoefficient, maximumIntervalMs } = policy;
  return Math.min(maximumIntervalMs ?? Infinity, initialIntervalMs * backoffCoefficient ** retry);
}

/** Below the cap the intervals are a geometric series, of which a history may hold any number. */
function sumOfIntervals(policy: RetryPolicyFacts, retries: number): number {
  const { initialIntervalMs, backoffCoefficient: factor, maximumIntervalMs } = policy;
  const cap = maximumIntervalMs ?? Infinity;
  if (factor <= 1) return retries * Math.min(cap, initialIntervalMs);
  const belowCap = Math.ceil(Math.log(cap / initialIntervalMs) / Math.log(factor));
  const growing = Math.min(retries, Math.max(0, belowCap));
  const sum = (initialIntervalMs * (factor ** growing - 1)) / (factor - 1);
  return retries > growing ? sum + (retries - growing) * cap : sum;
}

/** What was wasted stands in the sums of the last scheduling that told them, those before it included. */
function spentOf(schedulings: Schedulings): Spent | null {
  const told = schedulings.flatMap(({ call }) =>
    call === null || call.tokensWasted === null ? [] : [call],
  );
  const last = told.at(-1);
  if (last === undefined) return null;
  return {
    tokensUseful: last.tokensUseful ?? 0,
    tokensWasted: last.tokensWasted ?? 0,
    costUsefulMicros: last.costUsefulMicros,
    costWastedMicros: last.costWastedMicros,
  };
}

function gateOf(schedulings: Schedulings): GateReport | null {
  const [{ call }] = schedulings;
  if (call === null) return null;
  const last = schedulings.at(-1)?.call ?? call;
  return {
    downstream: call.downstream,
    effect: call.effect,
    isObserved: call.mode === 'observe',
    share: call.share,
    interruptions: schedulings.filter(({ end }) => end === 'interrupted').length,
    waits: schedulings.flatMap((each) => each.call?.wait ?? []),
    stop: last.stop,
    isReplayed: last.isReplayed,
  };
}

const answered: ReadonlySet<ActivityFacts['end']> = new Set(['completed', 'pending']);

function totalsOf(calls: readonly CallReport[]): Totals {
  const sum = (figure: (call: CallReport) => number): number =>
    calls.reduce((total, call) => total + figure(call), 0);
  const attempts = sum((call) => call.attempts);
  return {
    calls: calls.length,
    attempts,
    retries: sum((call) => call.retries),
    amplification: calls.length === 0 ? null : attempts / calls.length,
    unanswered: calls.filter(({ end }) => !answered.has(end)).length,
    beforeLastAttemptMs: sum((call) => call.beforeLastAttemptMs),
    retriesInVain: sum((call) => (isInVain(call) ? call.retries : 0)),
    spent: totalSpent(calls.flatMap(({ spent }) => spent ?? [])),
  };
}

function totalSpent(all: readonly Spent[]): Spent | null {
  if (all.length === 0) return null;
  const money = (figure: (spent: Spent) => number | null): number | null =>
    all.reduce<number | null>((sum, spent) => {
      const micros = figure(spent);
      return sum === null || micros === null ? null : sum + micros;
    }, 0);
  return {
    tokensUseful: all.reduce((sum, { tokensUseful }) => sum + tokensUseful, 0),
    tokensWasted: all.reduce((sum, { tokensWasted }) => sum + tokensWasted, 0),
    costUsefulMicros: money(({ costUsefulMicros }) => costUsefulMicros),
    costWastedMicros: money(({ costWastedMicros }) => costWastedMicros),
  };
}
