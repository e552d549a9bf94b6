import { admitCall } from '../budget/breaker.js';
import { nameOfWay, waysOf } from '../contract/fallback.js';
import { callName, type GovernedTool } from '../contract/governed-tool.js';
import type { Feature } from '../contract/messages.js';
import type { RunState } from '../contract/run-state.js';
import { breakerOptions } from './breakers.js';
import { settingsOf } from './call-plan.js';
import type { FeaturedTool, RunContext } from './run-context.js';
import { breakerOf } from './run-state.js';

/**
 * Returns what each tool of the run would do if it were called at present, so that a page can grey a button.
 * Nothing is changed by asking.
 */
export function featuresOf(run: RunContext): readonly Feature[] {
  const tools = new Map<string, FeaturedTool>([...run.adoptedTools, ...run.tools]);
  return [...tools.values()].map((tool) => featureOf(run, tool));
}

function featureOf(run: RunContext, tool: FeaturedTool): Feature {
  const name = callName(tool);
  const { state } = run;
  const isRejected = wouldReject(run, tool);
  if (!isRejected && !retriesAreUsedUp(state)) return { tool: name, state: 'available' };
  const to = standIn(run, tool);
  if (to !== undefined) return { tool: name, state: 'degraded', to };
  if (!isRejected) return { tool: name, state: 'available' };
  const message = messageOf(tool);
  return { tool: name, state: 'disabled', ...(message === undefined ? {} : { message }) };
}

/** Asks the breaker as a call would, without being one. */
function wouldReject(run: RunContext, tool: GovernedTool): boolean {
  const { state } = run;
  if (state === undefined || state.mode !== 'on') return false;
  const options = breakerOptions(settingsOf(run, tool).downstream.breaker);
  const { admission } = admitCall(breakerOf(state, tool.downstream), options, Date.now());
  return admission.kind === 'rejected';
}

/** A run that was given no retry at all has used none up. */
function retriesAreUsedUp(state: RunState | undefined): boolean {
  if (state === undefined || state.mode !== 'on') return false;
  const { total, spent, reserved } = state.pool;
  return total > 0 && spent + reserved >= total;
}

function standIn(run: RunContext, tool: FeaturedTool): string | undefined {
  const way = waysOf(tool.fallback).find(
    (one) => !('disabled' in one) && !('tool' in one && wouldReject(run, one.tool)),
  );
  return way === undefined ? undefined : nameOfWay(way);
}

function messageOf({ fallback }: FeaturedTool): string | undefined {
  const way = waysOf(fallback).find((one) => 'disabled' in one);
  return way !== undefined && 'disabled' in way ? way.disabled : undefined;
}
