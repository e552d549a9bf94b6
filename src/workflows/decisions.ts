import { log, workflowInfo } from '@temporalio/workflow';
import { callName, type GovernedTool } from '../contract/governed-tool.js';

/** What the gate decided about a call. */
export type Decision = {
  readonly tool: GovernedTool;
  /** The attempt that the decision is about, from 1. */
  readonly attempt: number;
  readonly decision:
    | 'probe'
    | 'reject'
    | 'would-reject'
    | 'reschedule'
    | 'wait'
    | 'give-up'
    | 'cancelled'
    | 'fall-back'
    | 'ask-person'
    | 'approved'
    | 'denied'
    | 'settled';
  readonly reason: string;
};

/** Writes one structured line; the SDK leaves it out during replay. */
export function logDecision({ tool, attempt, decision, reason }: Decision): void {
  const line = {
    task: workflowInfo().workflowId,
    tool: callName(tool),
    downstream: tool.downstream,
    attempt,
    decision,
    reason,
  };
  log.info('holdfast', line);
}
