import { ActivityCancellationType, workflowInfo } from '@temporalio/workflow';
import type { Fault } from '../budget/errors.js';
import { fallbackTools } from '../contract/fallback.js';
import type { WaitingNotice } from '../contract/messages.js';
import type { AnyTool } from '../contract/tool.js';
import { callTool } from './call-tool.js';
import type { RunContext } from './run-context.js';

/**
 * Returns what tells somebody, by a call of the tool like any other, that something waits. A notice that
 * fails is booked as any call is, and nothing more: the wait goes on.
 */
export function notifier(run: RunContext, tool: AnyTool): NonNullable<RunContext['notify']> {
  return async (waiting) => {
    // A notice of which nobody knows whether it was sent would tell of itself without end.
    if (waiting.kind === 'settlement' && waiting.tool === tool.name) return;
    const input: WaitingNotice = { workflowId: workflowInfo().workflowId, waiting };
    // A run that ends in the task that withdraws a notice would race with the notice's own end: the server
    // then gives the task up, and with it the decision that came in it.
    const cancellationType = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED;
    await callTool(run, { tool, input, cancellationType });
  };
}

/** Lists what keeps a tool from telling that something waits: itself, it may wait for nobody. */
export function notifyFaults(tool: AnyTool): Fault[] {
  const field = 'notify';
  if (!isTool(tool)) return [{ field, rule: 'must be a tool made by defineTool', value: tool }];
  if (tool.faults.length > 0) return [...tool.faults];
  const rule = 'must need no approval, nor fall back on a tool that does';
  const guarded = chainOf(tool).find((one) => one.approval !== undefined);
  return guarded === undefined ? [] : [{ field, rule, value: guarded.name }];
}

function isTool(tool: unknown): boolean {
  return typeof tool === 'object' && tool !== null && 'faults' in tool;
}

/** Returns a tool and those that answer in its place. */
function chainOf(tool: AnyTool): AnyTool[] {
  const chain = new Set([tool]);
  // A set that grows while it is walked is walked to its end.
  for (const one of chain) for (const next of fallbackTools(one.fallback)) chain.add(next);
  return [...chain];
}
