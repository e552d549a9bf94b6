import type { WorkflowHandle } from '@temporalio/client';
import type { PolicySource } from 'holdfast';
import type { PolicyChange, PolicyReceipt, RunState } from 'holdfast/contract';
import { implementations } from '../workflows/fixture/implementations.js';
import type { Steps } from '../workflows/fixture/policy-workflows.js';
import { type Rig, startRig } from './rig.js';
import { projectFile } from './root.js';
import { until } from './until.js';

/** A rig of workflows whose policies and budgets come from elsewhere. */
export type PolicyRig = Rig & {
  readonly start: (steps: Steps, workflowId?: string) => Promise<WorkflowHandle>;
};

/** Starts a server and a worker with the scripted tools, and a plain activity under a policy module. */
export async function startPolicyRig(policies?: PolicySource): Promise<PolicyRig> {
  const rig = await startRig({
    workflows: 'test/workflows/fixture/policy-workflows.js',
    policyModule: projectFile('dist/test/workflows/fixture/holdfast.js'),
    implementations: implementations([]),
    policies,
    worker: { activities: { plainWork: async () => {} } },
  });
  const { client, taskQueue, id } = rig;
  const start: PolicyRig['start'] = (steps, workflowId = id('stepwise')) =>
    client.workflow.start('stepwise', { taskQueue, workflowId, args: [steps] });
  return { ...rig, start };
}

/** Puts a policy in force. */
export function setPolicy(
  handle: WorkflowHandle,
  change: PolicyChange | unknown,
): Promise<PolicyReceipt> {
  return handle.executeUpdate<PolicyReceipt, [unknown]>('holdfast.setPolicy', { args: [change] });
}

/** Returns the state of a run; one that has made none yet is asked again. */
export async function stateOf(handle: WorkflowHandle): Promise<RunState> {
  for (;;) {
    const state = await handle.query<RunState | null>('holdfast.state');
    if (state !== null) return state;
  }
}

/** Lets a run make its next call, and waits until so many have been answered. */
export async function goOn(handle: WorkflowHandle, answered: number): Promise<void> {
  await handle.signal('go');
  await until(async () => {
    const { events } = await handle.fetchHistory();
    const ended = (events ?? []).filter(
      (event) =>
        event.activityTaskCompletedEventAttributes ||
        event.activityTaskFailedEventAttributes ||
        event.activityTaskTimedOutEventAttributes,
    );
    return ended.length >= answered;
  });
}

/** Returns for each activity of a run whether its scheduling was governed: whether it carries the call's header. */
export async function governedOf(handle: WorkflowHandle): Promise<readonly boolean[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap((event) => {
    const scheduled = event.activityTaskScheduledEventAttributes;
    return scheduled ? [scheduled.header?.fields?.['holdfast-call'] !== undefined] : [];
  });
}
