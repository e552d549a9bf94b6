import assert from 'node:assert/strict';
import type { WorkflowHandle } from '@temporalio/client';
import type { Outcome, PolicyInput } from 'holdfast/contract';
import { type Rig, startRig } from '../support/rig.js';
import { until } from '../support/until.js';
import type { Call, Done } from './fixture/workflows.js';
import { createWorld, type World } from './fixture/world.js';

/** What the attempts of a call do. */
export type Script = Call['input']['script'];

/** A server, a worker, and a world in which effects land. */
export type Effects = {
  readonly rig: Rig;
  readonly world: World;
  readonly start: (calls: readonly Call[], policy?: PolicyInput) => Promise<WorkflowHandle>;
  readonly outcomesOf: (calls: readonly Call[], policy?: PolicyInput) => Promise<Done>;
};

/** Starts everything; stop the rig in the file's `after`. */
export async function startEffects(): Promise<Effects> {
  const world = createWorld();
  const rig = await startRig({
    workflows: 'test/effects/fixture/workflows.js',
    implementations: world.implementations,
  });
  const start: Effects['start'] = (calls, policy) =>
    rig.client.workflow.start('effects', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('effects'),
      args: [{ calls, policy }],
    });
  return {
    rig,
    world,
    start,
    outcomesOf: async (calls, policy) => (await start(calls, policy)).result(),
  };
}

let ids = 0;

/** An effect that nothing has happened to. */
export function newId(): string {
  ids += 1;
  return `effect-${ids}`;
}

/** A call whose attempts do what the script says. */
export function call(tool: Call['tool'], id: string, ...script: Script): Call {
  return { tool, input: { id, script } };
}

/** Waits until a write waits for somebody who knows. */
export async function waitingOf(
  handle: WorkflowHandle,
): Promise<{ readonly key: string; readonly tool: string; readonly reason: string }> {
  let waiting: Awaited<ReturnType<typeof waitingOf>> | undefined;
  await until(async () => {
    [waiting] = await handle.query<NonNullable<typeof waiting>[]>('holdfast.unknowns');
    return waiting !== undefined;
  });
  assert.ok(waiting);
  return waiting;
}

/** Takes an outcome for one without a value. */
export function unanswered(
  outcome: Outcome<unknown> | undefined,
): Exclude<Outcome<unknown>, { value: unknown }> {
  assert.ok(outcome !== undefined && !('value' in outcome));
  return outcome;
}
