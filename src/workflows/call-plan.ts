import type { PlanNode } from '../budget/plan.js';
import { cappedAttempts } from '../budget/retry-cap.js';
import { freeRetries, shareOf } from '../budget/retry-pool.js';
import { thresholdNumber } from '../budget/threshold.js';
import { callName, type GovernedTool } from '../contract/governed-tool.js';
import type { DownstreamPolicy, PolicyInput, RunPolicy } from '../contract/policy.js';
import { callPolicy, downstreamPolicy, runPolicy } from '../contract/policy-layers.js';
import type { Planned, RunState } from '../contract/run-state.js';
import type { CallSettings, RunContext } from './run-context.js';
import { breakerOf, initialRunState } from './run-state.js';
import { bookSpent, withSlice } from './slices.js';

// No node has this id: neither a step's id nor a tool's name holds a blank.
const BEYOND_PLAN = 'beyond the plan';

/** Returns the policy that governs a call by its door. */
export function policyOf(run: RunContext): PolicyInput {
  return run.delivered?.policy ?? run.policy ?? run.adoption ?? {};
}

/** Returns what holds for this run as a whole; a slice of its parent's budgets stands before its own policy. */
export function runSettingsOf(run: RunContext): RunPolicy {
  run.runSettings ??= withSlice(runPolicy(policyOf(run), run.tenant), run.slice);
  return run.runSettings;
}

/** Returns the figures that hold for a tool in this run. */
export function settingsOf(run: RunContext, tool: GovernedTool): CallSettings {
  const { downstream } = tool;
  const name = callName(tool);
  const known = run.settings.get(name);
  if (known?.of === downstream) return known;
  const policy = policyOf(run);
  const settings = {
    of: downstream,
    call: callPolicy(policy, { downstream, tool: name, tenant: run.tenant }),
    downstream: paced(run, downstreamPolicy(policy, { downstream, tenant: run.tenant })),
  };
  run.settings.set(name, settings);
  return settings;
}

/** Spreads what a run of a batch sends, unless its policy says otherwise. */
function paced({ isPaced }: RunContext, policy: DownstreamPolicy): DownstreamPolicy {
  return isPaced ? { ...policy, limits: { pace: true, ...policy.limits } } : policy;
}

/** Returns the run's state, made on first use. */
export function stateOf(run: RunContext): RunState {
  if (run.state !== undefined) return run.state;
  const policy = runSettingsOf(run);
  const { tenant, slice, delivered, spentBefore } = run;
  const state = initialRunState({
    policy,
    nowMs: Date.now(),
    planned: expectedCalls([...run.tools.values()]),
    tenant,
    deadlineMs: hasDeadline(run) ? policy.deadlineMs : null,
    slice,
    delivered,
  });
  run.state = spentBefore === undefined ? state : bookSpent(state, spentBefore);
  return run.state;
}

/** Counts a call and returns its number in the run, from 1. */
export function countCall(run: RunContext): number {
  const state = stateOf(run);
  const call = state.calls + 1;
  run.state = { ...state, calls: call };
  return call;
}

/** A workflow that was only adopted may run for months: it has a deadline where its policy says so. */
export function hasDeadline(run: RunContext): boolean {
  const { policy, adoption, tenant } = run;
  if (policy !== undefined || adoption === undefined) return true;
  const inForce = policyOf(run);
  const ofTenant = tenant === undefined ? undefined : inForce.tenants?.[tenant];
  return inForce.deadlineMs !== undefined || ofTenant?.deadlineMs !== undefined;
}

/** Returns a node for each call that tools are expected to make (spec, The planner: open-ended work). */
export function expectedCalls(tools: readonly GovernedTool[]): Planned[] {
  return tools.flatMap((tool) =>
    Array.from({ length: tool.expectedCalls }, (_, index) => ({
      id: `${callName(tool)}/${index + 1}`,
      tool: callName(tool),
      required: tool.required,
    })),
  );
}

/**
 * Finds the planned node that a call stands for: its step, or the tool's next expected call. A call
 * without a step never stands for one: a fallback's tool may also be a later step's.
 */
export function plannedNode(
  state: RunState,
  tool: GovernedTool,
  step?: string,
): Planned | undefined {
  if (step !== undefined) return state.planned.find(({ id }) => id === step);
  return state.planned.find(({ id }) => id.startsWith(`${callName(tool)}/`));
}

/**
 * Returns the retries that a call gets: the plan's share, capped by the breaker that its downstream's
 * tools share; none for a probe.
 */
export function callShare(
  run: RunContext,
  call: {
    readonly tool: GovernedTool;
    readonly planned: Planned | undefined;
    readonly isProbe: boolean;
    /** Retries that the caller's own options allow at most. */
    readonly maxRetries: number;
  },
): { readonly share: number; readonly wanted: number } {
  const { tool, planned, isProbe, maxRetries } = call;
  if (isProbe) return { share: 0, wanted: 0 };
  const state = stateOf(run);
  const nodes = state.planned.map((one) =>
    one.id === planned?.id
      ? nodeOf(run, { tool, planned: one, maxRetries })
      : nodeOf(run, { tool: run.tools.get(one.tool) ?? tool, planned: one }),
  );
  const beyond: Planned = { id: BEYOND_PLAN, tool: callName(tool), required: tool.required };
  const node =
    nodes.find(({ id }) => id === planned?.id) ??
    nodeOf(run, { tool, planned: beyond, maxRetries });
  const { objective } = runSettingsOf(run);
  const current = breakerOf(state, tool.downstream);
  const attempts = cappedAttempts({
    share: shareOf({ pool: state.pool, objective, planned: nodes, node }),
    failureThreshold: settingsOf(run, tool).downstream.breaker.consecutiveFailureThreshold,
    failuresInARow: current.kind === 'closed' ? current.failuresInARow : 0,
  });
  return { share: attempts - 1, wanted: node.maxRetries };
}

/** Returns the retries that work beyond the plan may take at most: a part of what is free, as a call gets it. */
export function spareRetries(run: RunContext): number {
  const { pool, planned } = stateOf(run);
  const nodes = planned.flatMap((one) => {
    const tool = run.tools.get(one.tool);
    return tool === undefined ? [] : [nodeOf(run, { tool, planned: one })];
  });
  const unknown = { failureRate: 0, attemptCostMicros: 0, latencyMs: 0, required: true };
  const node = { ...unknown, id: BEYOND_PLAN, maxRetries: freeRetries(pool) };
  return shareOf({ pool, objective: runSettingsOf(run).objective, planned: nodes, node });
}

/** Describes a node to the planner, which knows nothing of attempts per call and breakers per downstream. */
function nodeOf(
  run: RunContext,
  node: { readonly tool: GovernedTool; readonly planned: Planned; readonly maxRetries?: number },
): PlanNode {
  const { tool, planned, maxRetries = tool.maxRetries } = node;
  const { call, downstream } = settingsOf(run, tool);
  const threshold = thresholdNumber(downstream.breaker.consecutiveFailureThreshold);
  const cap = Math.min(tool.maxRetries, maxRetries, call.maxAttempts - 1, threshold - 1);
  return { ...tool.estimate, id: planned.id, required: planned.required, maxRetries: cap };
}
