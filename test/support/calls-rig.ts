import { implementations, type Seen } from '../workflows/fixture/implementations.js';
import type { Done, Plan } from '../workflows/fixture/workflows.js';
import { type Rig, type RigOptions, startRig } from './rig.js';

/** A rig that runs the scripted calls of the fixture. */
export type CallsRig = Rig & {
  /** Runs calls in a workflow of the user's own. */
  readonly run: (plan: Plan, workflowId?: string) => Promise<Done>;
  /** Every attempt that ran, in order: `tool#attempt`. */
  readonly seen: Seen;
};

/** Starts a server and a worker with the scripted tools of the fixture. */
export async function startCallsRig(options: Pick<RigOptions, 'worker'> = {}): Promise<CallsRig> {
  const seen: Seen = [];
  const rig = await startRig({
    ...options,
    workflows: 'test/workflows/fixture/workflows.js',
    implementations: implementations(seen),
  });
  const { client, taskQueue } = rig;
  const run = (plan: Plan, workflowId = rig.id('calls')): Promise<Done> =>
    client.workflow.execute('calls', { taskQueue, workflowId, args: [plan] });
  return { ...rig, run, seen };
}
