import { type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import type { AnyTool } from '../contract/tool.js';
import { stateOf } from './call-plan.js';
import { withCallRequest } from './call-request.js';
import type { ToolCall } from './call-tool.js';
import type { GateCall } from './gate-call.js';
import type { RunContext } from './run-context.js';
import { taskTimeLeftMs } from './run-state.js';

/** Returns the options of a tool's activity, apart from what the gate makes of them. */
export function toolActivityOptions(
  run: RunContext,
  { tool, cancellationType, reserveMs }: Pick<ToolCall, 'tool' | 'cancellationType' | 'reserveMs'>,
): ActivityOptions {
  const { attemptTimeoutMs, heartbeatTimeoutMs, taskQueue } = tool;
  const timeLeftMs =
    reserveMs === undefined
      ? Number.POSITIVE_INFINITY
      : taskTimeLeftMs(stateOf(run), Date.now()) - reserveMs;
  return {
    startToCloseTimeout: attemptTimeoutMs,
    ...(Number.isFinite(timeLeftMs)
      ? { scheduleToCloseTimeout: Math.max(1, Math.ceil(timeLeftMs)) }
      : {}),
    ...(heartbeatTimeoutMs === undefined ? {} : { heartbeatTimeout: heartbeatTimeoutMs }),
    ...(taskQueue === undefined ? {} : { taskQueue }),
    ...(cancellationType === undefined ? {} : { cancellationType }),
    // What holds where the gate only looks on: attempts are finite all the same.
    retry: { maximumAttempts: 1 + tool.maxRetries },
  };
}

/** Returns a tool's activity; the gate gets the request with its call. */
export function toolActivity(
  { name }: AnyTool,
  request: GateCall | undefined,
  options: ActivityOptions,
): (input: unknown) => Promise<unknown> {
  type Activities = Record<typeof name, (input: unknown) => Promise<unknown>>;
  const activities = proxyActivities<Activities>(
    request === undefined ? options : withCallRequest(options, request),
  );
  return (input) => (activities[name] as Activities[string])(input); // the proxy has every name
}
