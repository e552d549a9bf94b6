import { policyDefaults } from '../../contract/policy.js';
import type { ActivitySums } from './activity-sums.js';
import type { Finding } from './finding.js';
import type { Seen } from './named.js';
import { longTimeoutMs } from './spots.js';

/** Attempts of one call from which on a policy without limit has shown what it does. */
const manyAttempts = 10;

/** Returns what is wrong with the attempts and times that a type of activity is allowed. */
export function findLimits(subject: string, sums: ActivitySums): readonly Finding[] {
  return [
    ...unlimited(subject, sums),
    ...missingStartToClose(subject, sums.spots.noStartToClose),
    ...missingHeartbeat(subject, sums),
  ];
}

function unlimited(subject: string, sums: ActivitySums): readonly Finding[] {
  const { unlimited: unbounded, unlimitedWithinRun } = sums.spots;
  const common = { kind: 'unlimited-retries', subject, wastedMicros: 0 } as const;
  const setting =
    `retry.maximumAttempts: ${policyDefaults.maxAttempts}, ` +
    'or a scheduleToCloseTimeout that ends the retries';
  const beyond = (sums.failed[manyAttempts - 1] ?? 0) > 0;
  const wastedAttempts = sums.failed.slice(policyDefaults.maxAttempts).reduce((a, b) => a + b, 0);
  const found: Finding[] = [];
  if (unbounded.count > 0) {
    found.push({
      ...common,
      severity: beyond ? 'high' : 'medium',
      what: `${unbounded.count} calls may be retried for ever: maximumAttempts is 0 (the default) and no timeout ends them.`,
      setting,
      evidence: { calls: unbounded.count, bound: 'nothing', beyondThreeAttempts: wastedAttempts },
      examples: unbounded.examples,
      wastedAttempts,
    });
  }
  if (unlimitedWithinRun.count > 0) {
    found.push({
      ...common,
      severity: 'low',
      what: `${unlimitedWithinRun.count} calls have no limit of attempts: only the workflow's own timeout ends them.`,
      setting,
      evidence: { calls: unlimitedWithinRun.count, bound: 'the timeout of the workflow' },
      examples: unlimitedWithinRun.examples,
      wastedAttempts: unbounded.count > 0 ? 0 : wastedAttempts,
    });
  }
  return found;
}

function missingStartToClose(subject: string, { count, examples }: Seen): readonly Finding[] {
  if (count === 0) return [];
  return [
    {
      kind: 'no-start-to-close',
      severity: 'medium',
      subject,
      what: `${count} calls give an attempt as long as the whole call: after a lost worker no time is left for a retry.`,
      setting: 'startToCloseTimeout: a little more than the slowest good attempt takes',
      evidence: { calls: count },
      examples,
      wastedAttempts: 0,
      wastedMicros: 0,
    },
  ];
}

function missingHeartbeat(subject: string, sums: ActivitySums): readonly Finding[] {
  const { count, examples } = sums.spots.noHeartbeat;
  if (count === 0) return [];
  const minutes = longTimeoutMs / 60_000;
  return [
    {
      kind: 'no-heartbeat',
      severity: sums.timedOut > 0 ? 'medium' : 'low',
      subject,
      what: `${count} calls may run for ${minutes} minutes or more without a heartbeat: a lost worker is noticed only then.`,
      setting:
        'heartbeatTimeout: 30 s with heartbeats in the activity, or a shorter startToCloseTimeout',
      evidence: { calls: count, timedOutAttempts: sums.timedOut },
      examples,
      wastedAttempts: sums.timedOut,
      wastedMicros: 0,
    },
  ];
}
