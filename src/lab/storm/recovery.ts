import type { Scenario } from './scenario.js';
import type { Second } from './tally.js';

/** The share of its answers before the outage from which a downstream counts as recovered. */
const recoveredShare = 0.9;
/** Seconds that are looked at together at least, so that one lucky second is no recovery. */
const leastSpan = 3;

/** What a run did once the outage was over. */
export type Recovery =
  | { readonly kind: 'no-outage' }
  | { readonly kind: 'recovered'; readonly afterSeconds: number }
  | { readonly kind: 'collapsed' }
  /** The run ends before a whole span is over. */
  | { readonly kind: 'too-short' };

/**
 * Tells when the answers in a second came back to nine tenths of those before the outage, in the mean of a span that
 * holds two surges. `collapsed` is also what had not half of its calls answered before.
 */
export function recoveryOf(
  { outage, surge, seconds: lasts }: Scenario,
  seconds: readonly Second[],
): Recovery {
  const before = seconds.slice(0, Math.floor(outage.fromSecond));
  const end = Math.ceil(outage.fromSecond + outage.seconds);
  if (outage.seconds === 0 || before.length === 0 || end >= lasts) return { kind: 'no-outage' };
  const span = Math.max(leastSpan, surge.calls > 0 ? 2 * Math.ceil(surge.everySeconds) : 0);
  const least = recoveredShare * answersIn(before);
  const begun = before.reduce((sum, second) => sum + second.begun, 0);
  if (answersIn(before) * before.length * 2 < begun) return { kind: 'collapsed' };
  if (end + span > lasts) return { kind: 'too-short' };
  for (let from = end; from + span <= lasts; from++) {
    if (answersIn(seconds.slice(from, from + span)) >= least)
      return { kind: 'recovered', afterSeconds: from - end };
  }
  return { kind: 'collapsed' };
}

function answersIn(seconds: readonly Second[]): number {
  return seconds.reduce((sum, { answered }) => sum + answered, 0) / seconds.length;
}
