import { attemptEnds } from '../../budget/attempt-ends.js';
import type { RunFacts } from '../run-facts.js';
import type { CallAttempts } from './call-attempts.js';
import { notSeen, type Seen, see } from './named.js';

/** What an audit keeps of one downstream of governed calls: whether its breakers had work, and did it. */
export type DownstreamSums = {
  readonly made: number;
  /** Failed attempts that count in a breaker, as the table of ends says. */
  readonly failed: number;
  /** Calls that an open breaker of a worker refused. */
  readonly refused: number;
  /** The longest row of such failures within one run. */
  readonly longestRow: number;
  /** The longest row after which the same run sent a call that might be retried: an open breaker lets none pass. */
  readonly sentAfterRow: number;
  readonly failing: Seen;
};

/** Nothing read yet. */
export const noDownstream: DownstreamSums = {
  made: 0,
  failed: 0,
  refused: 0,
  longestRow: 0,
  sentAfterRow: 0,
  failing: notSeen,
};

type Step =
  | { readonly kind: 'sent'; readonly at: number; readonly share: number }
  | {
      readonly kind: 'ended';
      readonly at: number;
      readonly failed: number;
      readonly isSuccess: boolean;
    };

/** Returns the sums with a run's enforced calls to that downstream, in the order in which they were sent and ended. */
export function addDownstreamCalls(
  sums: DownstreamSums,
  calls: readonly CallAttempts[],
  run: RunFacts,
): DownstreamSums {
  const steps = calls.flatMap(stepsOf).sort((a, b) => a.at - b.at);
  let { made, failed, refused, longestRow, sentAfterRow, failing } = sums;
  let row = 0;
  for (const step of steps) {
    if (step.kind === 'sent') {
      if (step.share > 0) sentAfterRow = Math.max(sentAfterRow, row);
      continue;
    }
    row += step.failed;
    longestRow = Math.max(longestRow, row);
    if (step.isSuccess) row = 0;
  }
  for (const call of calls) {
    made += call.made;
    failed += countedFailures(call);
    if (isRefused(call)) refused += 1;
    if (countedFailures(call) > 0) failing = see(failing, run.workflowId);
  }
  return { made, failed, refused, longestRow, sentAfterRow, failing };
}

function stepsOf(call: CallAttempts): readonly Step[] {
  const { scheduledAt, endedAt } = call.activity;
  const sent: Step = { kind: 'sent', at: scheduledAt, share: call.activity.call?.share ?? 0 };
  if (endedAt === null) return [sent];
  const isSuccess = call.end === 'ok' && call.activity.call?.isReplayed === false;
  return [sent, { kind: 'ended', at: endedAt, failed: countedFailures(call), isSuccess }];
}

/** Only the class of a call's last failure is known: the earlier ones are taken to be like it. */
function countedFailures({ activity: { lastFailure }, failed }: CallAttempts): number {
  const end = attemptEnds[lastFailure?.class ?? 'unknown'];
  return end.workflowBreaker === 'failure' ? failed : 0;
}

function isRefused({ activity: { lastFailure, call } }: CallAttempts): boolean {
  return lastFailure?.type === 'breaker-open' || call?.stop === 'breaker-open';
}
