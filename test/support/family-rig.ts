import type { ChildLine, RunReport, RunState } from 'holdfast/contract';
import { implementations } from '../workflows/fixture/implementations.js';
import type { FamilyDone, FamilyPlan } from '../workflows/fixture/sub-agent-workflows.js';
import { type Rig, startRig } from './rig.js';

/** A rig of runs that give children slices. */
export type FamilyRig = Rig & {
  /** Runs a family to its end. */
  readonly run: (
    plan: FamilyPlan,
    workflowId?: string,
  ) => Promise<FamilyDone & { readonly id: string }>;
  readonly stateOf: (workflowId: string) => Promise<RunState>;
};

/** Starts a server and a worker with the family's workflows. */
export async function startFamilyRig(): Promise<FamilyRig> {
  const rig = await startRig({
    workflows: 'test/workflows/fixture/sub-agent-workflows.js',
    implementations: implementations([]),
    dynamicConfig: { 'history.transferProcessorMaxPollRPS': '2000' },
  });
  const { client, taskQueue, id } = rig;
  return {
    ...rig,
    run: async (plan, workflowId = id('family')) => {
      const done = await client.workflow.execute('family', { taskQueue, workflowId, args: [plan] });
      return { ...(done as FamilyDone), id: workflowId }; // what the fixture returns
    },
    stateOf: (workflowId) =>
      client.workflow.getHandle(workflowId).query<RunState>('holdfast.state'),
  };
}

/** Returns what a report says of the run's children. */
export function linesOf({ childLines = [] }: RunReport): readonly ChildLine[] {
  return childLines;
}

/** Returns how each child ended, and the retries that it is charged with. */
export function endsOf(report: RunReport): readonly (readonly [string, number | undefined])[] {
  return linesOf(report).map(({ end, spent }) => [end, spent?.retries]);
}
