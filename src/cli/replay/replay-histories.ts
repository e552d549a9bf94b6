import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  bundleWorkflowCode,
  DefaultLogger,
  Runtime,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { holdfast } from '../../plugin.js';
import { type ReplayOptions, replayState } from '../../testing.js';
import { UsageError } from '../cli-errors.js';
import { bundleFaults } from './bundle-faults.js';
import { gapIn } from './history-gap.js';
import type { ReplaySource } from './replay-sources.js';

/** How a replay ended. */
export type Replayed = {
  readonly name: string;
  readonly events: number;
  /**
   * `differs`: the code makes other commands; `state-differs`: it makes the same, and governs them otherwise;
   * `unreadable`: the history can't be replayed at all.
   */
  readonly kind: 'fits' | 'differs' | 'state-differs' | 'unreadable';
  readonly message: string | null;
};

/** What histories are replayed against. */
export type ReplayCode = { readonly workflows: string; readonly policyModule?: string };

/**
 * Replays histories one after the other, and tells of each as it ends.
 * @throws UsageError where the workflows can't be bundled
 */
export async function* replayHistories(
  sources: readonly ReplaySource[],
  code: ReplayCode,
): AsyncGenerator<Replayed> {
  const silent = new DefaultLogger('ERROR', () => {}); // what is wrong is told once, at the end
  Runtime.install({
    logger: silent,
    telemetryOptions: { logging: { forward: {}, filter: 'OFF' } },
  });
  try {
    const { policyModule } = code;
    const plugin = holdfast({
      policyModule: policyModule === undefined ? undefined : resolve(policyModule),
    });
    const workflowBundle = await bundle(code.workflows, plugin);
    for (const source of sources) yield await replayOne(source, { workflowBundle, plugin });
  } finally {
    await Runtime.instance().shutdown(); // where no worker has begun, it would keep the process alive
  }
}

async function bundle(
  workflows: string,
  plugin: ReturnType<typeof holdfast>,
): Promise<WorkflowBundleWithSourceMap> {
  const said: string[] = []; // the bundler logs what is wrong, and throws that something is
  const logger = new DefaultLogger('ERROR', ({ message }) => said.push(message));
  try {
    return await bundleWorkflowCode({
      plugins: [plugin],
      logger,
      workflowsPath: resolve(workflows),
    });
  } catch (cause) {
    const faults = bundleFaults(said.join('\n'));
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(
      `The workflows ${workflows} can't be bundled: ${faults.length === 0 ? reason : faults.join('; ')}`,
      { cause },
    );
  }
}

async function replayOne(
  { name, events, history, workflowId, state }: ReplaySource,
  code: Pick<ReplayOptions, 'workflowBundle' | 'plugin'>,
): Promise<Replayed> {
  const gap = gapIn(history);
  if (gap !== undefined) return { name, events, kind: 'unreadable', message: gap };
  try {
    const after = await replayState({ ...code, history, workflowId });
    if (state === undefined || isDeepStrictEqual(after, state)) {
      return { name, events, kind: 'fits', message: null };
    }
    const message = `its state differs: ${differences(after, state)}`;
    return { name, events, kind: 'state-differs', message };
  } catch (error) {
    const kind = error instanceof DeterminismViolationError ? 'differs' : 'unreadable';
    return { name, events, kind, message: reasonOf(error) };
  }
}

/** The SDK puts the one sentence that says what differs into the print of a whole message. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, sentence] = /message: "((?:[^"\\]|\\.)*)"/.exec(message) ?? [];
  return sentence ?? message;
}

/** Names the parts of a state that differ. */
function differences(after: unknown, state: unknown): string {
  const now = asRecord(after);
  const then = asRecord(state);
  const fields = [...new Set([...Object.keys(now), ...Object.keys(then)])];
  return fields
    .filter((field) => !isDeepStrictEqual(now[field], then[field]))
    .map(
      (field) => `${field} is ${JSON.stringify(now[field])} and was ${JSON.stringify(then[field])}`,
    )
    .join('; ');
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
