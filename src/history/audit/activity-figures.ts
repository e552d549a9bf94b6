import type { ActivitySums } from './activity-sums.js';
import type { Audit } from './audit.js';
import { effectiveTrials, type Grouped } from './effective-trials.js';
import type { AuditOptions } from './finding.js';
import { quantileMs } from './latency-sketch.js';
import { type Interval, wilsonInterval } from './wilson.js';

/** What an audit says of one type of activity. */
export type ActivityFigures = {
  readonly name: string;
  readonly calls: number;
  /** Calls that ended without an answer. */
  readonly lost: number;
  /** At least so many where some calls are uncounted. */
  readonly attempts: number;
  /** Calls that may have been retried, of whose attempts no event tells the number: they count as one at most. */
  readonly uncounted: number;
  readonly failed: number;
  /** Of an attempt; null where none has ended. */
  readonly failureRate: number | null;
  /** Where that rate lies with 95 % confidence, by calls: attempts of one tend to fail together. */
  readonly failureInterval: Interval;
  /** Of the first, second, ... retry: how many were made, and how many of them failed. */
  readonly retries: readonly { readonly made: number; readonly failed: number }[];
  /** Attempts for each call. */
  readonly amplification: number | null;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /** Of an attempt that was measured: the last one of a call. */
  readonly meanMs: number | null;
  /** Of an attempt, in millionths of a currency unit; null where neither the gate nor an option knows it. */
  readonly attemptCostMicros: number | null;
};

/** Returns the figures of each type of activity, those with the most failed attempts first. */
export function activityFigures(
  audit: Audit,
  options: Pick<AuditOptions, 'costMicros'>,
): readonly ActivityFigures[] {
  return Object.entries(audit.activities)
    .map(([name, sums]) => figuresOf(name, sums, options))
    .sort((one, other) => other.failed - one.failed || other.calls - one.calls);
}

/** Returns the figures of one type of activity. */
export function figuresOf(
  name: string,
  sums: ActivitySums,
  options: Pick<AuditOptions, 'costMicros'>,
): ActivityFigures {
  const attempts = total(sums.made);
  const failed = total(sums.failed);
  const { measured } = sums;
  return {
    name,
    calls: sums.calls,
    lost: sums.lost,
    attempts,
    uncounted: sums.uncounted,
    failed,
    failureRate: attempts === 0 ? null : failed / attempts,
    failureInterval: intervalOf({ hits: failed, trials: attempts }, sums.byCall),
    retries: sums.made
      .slice(1)
      .map((made, index) => ({ made, failed: sums.failed[index + 1] ?? 0 })),
    amplification: sums.calls === 0 ? null : attempts / sums.calls,
    p50Ms: quantileMs(sums.latency, 0.5),
    p95Ms: quantileMs(sums.latency, 0.95),
    meanMs: measured.attempts === 0 ? null : measured.totalMs / measured.attempts,
    attemptCostMicros: attemptCostMicros(name, sums, options),
  };
}

/** Returns the attempts of a type of activity that were retries. */
export function retriesOf({ made }: ActivitySums): number {
  return total(made.slice(1));
}

/** Returns the price of an attempt: what the gate has booked goes before the option. */
export function attemptCostMicros(
  name: string,
  { priced }: ActivitySums,
  { costMicros }: Pick<AuditOptions, 'costMicros'>,
): number | null {
  if (priced.attempts > 0) return priced.costMicros / priced.attempts;
  return costMicros.get(name) ?? null;
}

/** Returns where a share of attempts lies, in which those of one call count as alike as they have been. */
export function intervalOf(
  { hits, trials }: { readonly hits: number; readonly trials: number },
  groups: Grouped,
): Interval {
  const each = groups.trials === 0 ? 1 : effectiveTrials(groups) / groups.trials;
  return wilsonInterval(hits * each, trials * each);
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
