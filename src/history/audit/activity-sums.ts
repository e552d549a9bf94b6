import { isInVain, wasStopped } from '../in-vain.js';
import type { ActivityFacts, FailureFacts, RunFacts } from '../run-facts.js';
import type { CallAttempts } from './call-attempts.js';
import { addGroup, type Grouped, noGroups } from './effective-trials.js';
import { addDurations, type LatencySketch } from './latency-sketch.js';
import { notSeen, type Seen, see } from './named.js';
import { isOwn, mayRetry, type Spot, spots } from './spots.js';

/** What an audit keeps of one type of activity, whatever number of calls it has read. */
export type ActivitySums = {
  readonly calls: number;
  /** Calls that ended without an answer. */
  readonly lost: number;
  /** Attempts made and failed, by their number in the call; the last place holds all from there on. */
  readonly made: readonly number[];
  readonly failed: readonly number[];
  /** Attempts and failed ones by the calls that they belong to. */
  readonly byCall: Grouped;
  readonly latency: LatencySketch;
  readonly measured: { readonly attempts: number; readonly totalMs: number };
  /** Retries of calls that ended with an error that no retry mends, and with one that nobody can judge. */
  readonly futileRetries: number;
  readonly unjudgedRetries: number;
  /** What those errors are. */
  readonly futileErrors: readonly Pick<FailureFacts, 'type' | 'class'>[];
  /** Types of failures that a retry may mend. */
  readonly mendableTypes: readonly string[];
  readonly tokens: { readonly useful: number; readonly wasted: number };
  readonly costWastedMicros: number;
  readonly priced: { readonly attempts: number; readonly costMicros: number };
  /** Calls that may have been retried, of whose attempts no event tells the number. */
  readonly uncounted: number;
  /** Attempts that timed out while a worker held them. */
  readonly timedOut: number;
  /** Calls under a policy of the user's own, and those of them that allow one attempt. */
  readonly own: { readonly calls: number; readonly single: number };
  readonly spots: Readonly<Record<Spot, Seen>>;
  readonly retried: Seen;
  readonly futile: Seen;
  readonly wasteful: Seen;
};

/** Attempts that are counted by their number; those beyond share the last place. */
const mostPlaces = 10;
const mostErrors = 5;
const mostTypes = 20;

/** Nothing read yet. */
export const noActivity: ActivitySums = {
  calls: 0,
  lost: 0,
  made: [],
  failed: [],
  byCall: noGroups,
  latency: {},
  measured: { attempts: 0, totalMs: 0 },
  futileRetries: 0,
  unjudgedRetries: 0,
  futileErrors: [],
  mendableTypes: [],
  tokens: { useful: 0, wasted: 0 },
  costWastedMicros: 0,
  priced: { attempts: 0, costMicros: 0 },
  uncounted: 0,
  timedOut: 0,
  own: { calls: 0, single: 0 },
  spots: {
    unlimited: notSeen,
    unlimitedWithinRun: notSeen,
    noStartToClose: notSeen,
    noHeartbeat: notSeen,
    unkeyed: notSeen,
    observedWrite: notSeen,
    unguarded: notSeen,
  },
  retried: notSeen,
  futile: notSeen,
  wasteful: notSeen,
};

/** Returns the sums with a run's calls of that type. */
export function addCalls(
  sums: ActivitySums,
  calls: readonly CallAttempts[],
  run: RunFacts,
): ActivitySums {
  const added = calls.reduce((before, call) => addCall(before, call, run), sums);
  const durationsMs = calls.flatMap(attemptMs);
  const totalMs = durationsMs.reduce((total, durationMs) => total + durationMs, 0);
  return {
    ...added,
    latency: addDurations(sums.latency, durationsMs),
    measured: {
      attempts: sums.measured.attempts + durationsMs.length,
      totalMs: sums.measured.totalMs + totalMs,
    },
  };
}

/** Of all attempts of a call, only the last one's start stands in a history. */
function attemptMs({ activity, end }: CallAttempts): readonly number[] {
  const { startedAt, endedAt, call } = activity;
  const isMeasured = end === 'ok' || activity.end === 'failed' || activity.end === 'timed-out';
  if (!isMeasured || call?.isReplayed || startedAt === null || endedAt === null) return [];
  return [Math.max(0, endedAt - startedAt)];
}

function addCall(sums: ActivitySums, attempts: CallAttempts, run: RunFacts): ActivitySums {
  const { activity, before, made, failed, end } = attempts;
  const isWhole = end !== 'continued';
  return {
    ...sums,
    calls: sums.calls + (isWhole ? 1 : 0),
    lost: sums.lost + (end === 'failed' ? 1 : 0),
    made: addPlaces(sums.made, before, made),
    failed: addPlaces(sums.failed, before, failed),
    byCall:
      isWhole && before + made > 0
        ? addGroup(sums.byCall, before + made, before + failed)
        : sums.byCall,
    uncounted: sums.uncounted + (isUncounted(activity) ? 1 : 0),
    timedOut: sums.timedOut + (activity.end === 'timed-out' && made > 0 ? 1 : 0),
    own: {
      calls: sums.own.calls + (isOwn(activity) ? 1 : 0),
      single:
        sums.own.single + (isOwn(activity) && activity.retryPolicy.maximumAttempts === 1 ? 1 : 0),
    },
    spots: seeSpots(sums.spots, activity, run),
    retried: isWhole && before + made > 1 ? see(sums.retried, run.workflowId) : sums.retried,
    mendableTypes: addMendable(sums.mendableTypes, activity),
    ...addFutile(sums, attempts, run.workflowId),
    ...(isWhole ? addSpent(sums, attempts, run.workflowId) : {}),
  };
}

/** Between two attempts, where its run ended or it was cancelled, an activity leaves nothing of those before. */
function isUncounted({ attemptsKnown, call, isLocal, retryPolicy }: ActivityFacts): boolean {
  if (attemptsKnown || call?.failedAttempts != null) return false;
  return isLocal || mayRetry(retryPolicy);
}

function addPlaces(places: readonly number[], before: number, attempts: number): readonly number[] {
  if (attempts === 0) return places;
  const added = [...places];
  for (let attempt = before; attempt < before + attempts; attempt++) {
    const place = Math.min(attempt, mostPlaces - 1);
    while (added.length <= place) added.push(0);
    added[place] = (added[place] ?? 0) + 1;
    if (attempt >= mostPlaces) {
      added[place] += before + attempts - attempt - 1;
      break;
    }
  }
  return added;
}

function seeSpots(
  seen: ActivitySums['spots'],
  activity: CallAttempts['activity'],
  run: RunFacts,
): ActivitySums['spots'] {
  let after = seen;
  for (const [name, holds] of Object.entries(spots)) {
    const spot = name as Spot; // the table's own keys
    if (holds(activity, run)) after = { ...after, [spot]: see(after[spot], run.workflowId) };
  }
  return after;
}

function addMendable(
  types: readonly string[],
  { lastFailure }: CallAttempts['activity'],
): readonly string[] {
  if (lastFailure === null || !lastFailure.retryable || lastFailure.type === null) return types;
  const { type } = lastFailure;
  return types.length >= mostTypes || types.includes(type) ? types : [...types, type];
}

type FutileSums = Pick<
  ActivitySums,
  'futileRetries' | 'unjudgedRetries' | 'futileErrors' | 'futile'
>;

function addFutile(
  sums: ActivitySums,
  { activity, failed, end }: CallAttempts,
  workflowId: string,
): FutileSums {
  const { futileRetries, unjudgedRetries, futileErrors, futile } = sums;
  const { lastFailure } = activity;
  const retries = failed - 1;
  const isLost = end === 'failed' || end === 'open';
  const before = { futileRetries, unjudgedRetries, futileErrors, futile };
  if (!isLost || retries < 1 || lastFailure === null) return before;
  if (lastFailure.class === 'unknown' && !wasStopped(activity)) {
    return { ...before, unjudgedRetries: unjudgedRetries + retries };
  }
  if (!isInVain(activity)) return before;
  const { type, class: found } = lastFailure;
  const isKnown =
    futileErrors.length >= mostErrors ||
    futileErrors.some((error) => error.type === type && error.class === found);
  return {
    futileRetries: futileRetries + retries,
    unjudgedRetries,
    futileErrors: isKnown ? futileErrors : [...futileErrors, { type, class: found }],
    futile: see(futile, workflowId),
  };
}

/** A call's tokens and money hold those of its earlier schedulings: they are booked when it ends. */
function addSpent(
  sums: ActivitySums,
  { activity: { call }, before, made }: CallAttempts,
  workflowId: string,
): Pick<ActivitySums, 'tokens' | 'costWastedMicros' | 'priced' | 'wasteful'> | object {
  if (call === null) return {};
  const tokensUseful = call.tokensUseful ?? 0;
  const tokensWasted = call.tokensWasted ?? 0;
  const costWastedMicros = call.costWastedMicros ?? 0;
  const costMicros = (call.costUsefulMicros ?? 0) + costWastedMicros;
  const isPriced =
    call.costUsefulMicros !== null && call.costWastedMicros !== null && costMicros > 0;
  return {
    tokens: {
      useful: sums.tokens.useful + tokensUseful,
      wasted: sums.tokens.wasted + tokensWasted,
    },
    costWastedMicros: sums.costWastedMicros + costWastedMicros,
    priced: isPriced
      ? {
          attempts: sums.priced.attempts + before + made,
          costMicros: sums.priced.costMicros + costMicros,
        }
      : sums.priced,
    wasteful: tokensWasted > 0 ? see(sums.wasteful, workflowId) : sums.wasteful,
  };
}
