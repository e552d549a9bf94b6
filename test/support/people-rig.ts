import { setTimeout as pause } from 'node:timers/promises';
import { type WorkflowHandle, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { WaitingApproval, WaitingQuestion, WaitingSettlement } from 'holdfast/contract';
import { type Deeds, peopleImplementations } from '../workflows/fixture/people-implementations.js';
import { type Rig, startRig } from './rig.js';

/** A rig of workflows that wait for people. */
export type PeopleRig = Rig & {
  readonly deeds: Deeds;
  readonly start: (workflow: string, ...args: readonly unknown[]) => Promise<WorkflowHandle>;
};

/** Starts a server and a worker with the tools of the people fixture. */
export async function startPeopleRig(): Promise<PeopleRig> {
  const deeds: Deeds = { paid: [], told: [] };
  const rig = await startRig({
    workflows: 'test/workflows/fixture/people-workflows.js',
    implementations: peopleImplementations(deeds),
  });
  const { client, taskQueue, id } = rig;
  const start: PeopleRig['start'] = (workflow, ...args) =>
    client.workflow.start(workflow, { taskQueue, workflowId: id(workflow), args: [...args] });
  return { ...rig, deeds, start };
}

type Shown = {
  readonly approvals: WaitingApproval;
  readonly questions: WaitingQuestion;
  readonly unknowns: WaitingSettlement;
};

/** Asks a run until so many things of a kind wait, and returns them. */
export async function waitingOf<Kind extends keyof Shown>(
  handle: WorkflowHandle,
  kind: Kind,
  count = 1,
): Promise<readonly [Shown[Kind], ...Shown[Kind][]]> {
  for (;;) {
    const waiting = await handle.query<Shown[Kind][]>(`holdfast.${kind}`);
    const [first, ...others] = waiting;
    if (first !== undefined && waiting.length >= count) return [first, ...others];
    await pause(20);
  }
}

/** Sends one message of a person's; returns its receipt. */
export function send(
  handle: WorkflowHandle,
  update: 'decide' | 'answer' | 'settle',
  message: unknown,
): Promise<unknown> {
  return handle.executeUpdate<unknown, [unknown]>(`holdfast.${update}`, { args: [message] });
}

/** Returns why an update was refused: the type of its failure, and the message. */
export async function refusalOf(
  update: Promise<unknown>,
): Promise<{ readonly type: unknown; readonly message: string }> {
  try {
    await update;
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure) {
      return { type: error.cause.type, message: error.cause.message };
    }
    throw error;
  }
  throw new Error('The update was accepted.');
}

/** Returns how many events of updates a history holds: a refused one leaves none. */
export async function updateEventsOf(handle: WorkflowHandle): Promise<number> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes)
    .length;
}
