import { ContinueAsNew, isCancellation, metricMeter } from '@temporalio/workflow';
import { callName, type GovernedTool } from '../contract/governed-tool.js';
import type { Cost } from '../contract/outcome.js';
import type { CallLine, RunState } from '../contract/run-state.js';
import { createRecorder, type Recorder } from '../telemetry/recorder.js';
import { runSettingsOf } from './call-plan.js';
import type { RunContext } from './run-context.js';

type ToolLabels = { readonly tool: string; readonly downstream: string };

/** Returns what measures in a run: by the SDK's meter, which leaves out what is replayed and adds no command. */
export function recorderOf(run: RunContext): Recorder {
  run.recorder ??= createRecorder(metricMeter);
  return run.recorder;
}

/** Measures a call that has been booked; what is nothing isn't said. */
export function measureCall(run: RunContext, governed: GovernedTool, line: CallLine): void {
  const measure = recorderOf(run);
  const { kind, reason = 'none', share, retries, interruptions, tokens, cost } = line;
  const tool = callName(governed);
  const labels = { tool, downstream: governed.downstream };
  measure('holdfast_calls_total', { ...labels, outcome: kind, reason });
  if (kind === 'ok' && retries > 0) measure('holdfast_calls_rescued_total', labels);
  if (share > 0) measure('holdfast_planned_retries_total', labels, share);
  if (retries > 0) measure('holdfast_used_retries_total', labels, retries);
  if (interruptions > 0) measure('holdfast_interruptions_total', labels, interruptions);
  measureUse(measure, 'holdfast_tokens_total', { labels, used: tokens });
  // What has no known price is in no sum: reports count such attempts.
  if (cost !== undefined) measureUse(measure, 'holdfast_cost_micros_total', { labels, used: cost });
}

function measureUse(
  measure: Recorder,
  name: 'holdfast_tokens_total' | 'holdfast_cost_micros_total',
  { labels, used }: { readonly labels: ToolLabels; readonly used: Pick<Cost, 'useful' | 'wasted'> },
): void {
  const { useful, wasted } = used;
  if (useful) measure(name, { ...labels, use: 'useful' }, useful);
  if (wasted) measure(name, { ...labels, use: 'wasted' }, wasted);
}

/** Measures how a governed run ended; one that continues as new hasn't. */
export function measureRun(
  run: RunContext,
  ending: 'completed' | { readonly error: unknown },
): void {
  const { state } = run;
  if (state === undefined || state.mode === 'off') return;
  if (ending !== 'completed' && ending.error instanceof ContinueAsNew) return;
  const measure = recorderOf(run);
  measure('holdfast_runs_total', { end: endOf(ending) });
  const { percent, isOverload } = wasteOf(state, runSettingsOf(run).tokens.target);
  if (percent !== undefined) measure('holdfast_run_retry_token_percent', {}, percent);
  if (isOverload) measure('holdfast_self_inflicted_overloads_total', {});
}

/** What a run's failed attempts have made of its tokens. */
export type Waste = {
  /** Their share of what the run and its children used; undefined where that is nothing. */
  readonly percent: number | undefined;
  readonly isOverload: boolean;
};

/** Returns what failed attempts wasted; what was used before the run began is the earlier try's. */
export function wasteOf(
  { tokens, inherited, slice }: Pick<RunState, 'tokens' | 'inherited' | 'slice'>,
  target: number,
): Waste {
  const before = inherited?.spent.tokens ?? { useful: 0, wasted: 0 };
  const wasted = tokens.wasted - before.wasted;
  const all = wasted + tokens.useful - before.useful;
  const isOver = tokens.wasted * 2 > target && before.wasted * 2 <= target;
  return {
    percent: all > 0 ? (100 * wasted) / all : undefined,
    isOverload: slice === undefined && isOver, // a slice is no tenant's target, and its use is the parent's, too
  };
}

function endOf(ending: Parameters<typeof measureRun>[1]): string {
  if (ending === 'completed') return ending;
  return isCancellation(ending.error) ? 'cancelled' : 'failed';
}
