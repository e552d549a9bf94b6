import type { DownstreamSums } from './downstream-sums.js';
import { type AuditOptions, type Finding, percentText } from './finding.js';

/** Failures, and their share of a downstream's attempts, from which on a breaker should have had work. */
const manyFailures = 20;
const badShare = 0.1;

/**
 * Returns the finding for a downstream whose breakers never opened though they had reason to: no call was
 * refused, and either a run went on sending calls with retries after as many failures in a row as should open
 * its breaker, or the downstream failed a lot and no run ever saw that many in a row.
 */
export function findBreaker(
  downstream: string,
  sums: DownstreamSums,
  { threshold }: Pick<AuditOptions, 'threshold'>,
): readonly Finding[] {
  const { made, failed, refused, longestRow, sentAfterRow, failing } = sums;
  if (refused > 0) return [];
  const finding = {
    kind: 'breaker-never-opened',
    subject: downstream,
    evidence: { attempts: made, failed, longestRow, sentAfterRow, threshold },
    examples: failing.examples,
    wastedMicros: 0,
  } as const;
  if (sentAfterRow >= threshold) {
    return [
      {
        ...finding,
        severity: 'medium',
        what: `Its breaker stayed closed after ${sentAfterRow} failures in a row in one run, and calls with retries were sent on.`,
        setting: `breaker.consecutiveFailureThreshold: ${threshold}`,
        wastedAttempts: Math.max(0, sentAfterRow - threshold),
      },
    ];
  }
  const share = made === 0 ? 0 : failed / made;
  if (longestRow >= threshold || failed < manyFailures || share < badShare) return [];
  return [
    {
      ...finding,
      severity: 'low',
      what: `${percentText(share)} of its ${made} attempts failed and no breaker opened: no run saw more than ${longestRow} failures in a row.`,
      setting:
        'workerBreaker: a lower failurePercent or consecutiveFailureThreshold, which counts the failures of all runs of a worker',
      wastedAttempts: 0,
    },
  ];
}
