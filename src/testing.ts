import type { History } from '@temporalio/common/lib/proto-utils.js';
import type { ReplayWorkerOptions } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import type { RunState } from './contract/run-state.js';
import type { HoldfastPlugin } from './plugin.js';

/** What a replay is made with. */
export type ReplayOptions = Pick<ReplayWorkerOptions, 'workflowBundle' | 'workflowsPath'> & {
  readonly plugin: HoldfastPlugin;
  readonly history: History | object;
  readonly workflowId?: string;
};

/**
 * Replays a history and returns the governor's state at its end, so that a test can compare it: replay by
 * itself checks the order of commands, but neither retry policies nor budgets.
 * @returns null where the run was ungoverned or hasn't ended
 * @throws DeterminismViolationError where the workflow code doesn't fit the history
 */
export async function replayState(options: ReplayOptions): Promise<RunState | null> {
  const { plugin, history, workflowId, ...replay } = options;
  const states: (RunState | null)[] = [];
  const ended = {
    fn: (_info: unknown, state: RunState | null): void => {
      // made in the workflow's own realm, it would differ from every plain object by its prototype
      states.push(structuredClone(state));
    },
    callDuringReplay: true,
  };
  await Worker.runReplayHistory(
    { ...replay, plugins: [plugin], sinks: { holdfast: { ended } } },
    history,
    workflowId,
  );
  return states.at(-1) ?? null;
}
