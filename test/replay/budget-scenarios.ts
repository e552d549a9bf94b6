import type { Task } from 'holdfast/contract';
import { setPolicy } from '../support/policy-rig.js';
import type { Recorder } from '../support/record-histories.js';
import type { Recording } from '../support/recording.js';
import type { Steps } from '../workflows/fixture/policy-workflows.js';
import type { FamilyPlan } from '../workflows/fixture/sub-agent-workflows.js';
import { type Scenario, withWorker } from './scenario.js';

const retried: Task = {
  steps: [{ id: 'only', tool: 'look', input: { script: ['server', 'ok'] } }],
};
const slice = { retries: 2, tokens: 1_000 };

/** Records a run that gives a child a slice, and the child. */
function withSlice(plan: FamilyPlan): Scenario {
  return (recorder, name) =>
    withWorker(recorder, async () => {
      const parent = await recorder.start(name, 'family', plan);
      const recorded = await recorder.record(parent);
      const child = recorder.rig.client.workflow.getHandle(`${parent.workflowId}/errand/1`);
      return [recorded, await recorder.record(child)];
    });
}

async function recordContinued(recorder: Recorder, name: string): Promise<Recording> {
  const first = await recorder.start(`${name}-before`, 'agentTask', retried);
  await first.result();
  const task: Task = { ...retried, continuesBudgetOf: first.workflowId };
  // holdfast's client would read it before the start
  return recorder.record(await recorder.startPlainly(name, 'agentTask', task));
}

/** Runs whose budgets and policies come from elsewhere, by the names of their histories. */
export const budgetScenarios: Readonly<Record<string, Scenario>> = {
  'child-slice': withSlice({ children: [{ task: { failures: 1 }, slice }] }),
  'child-slice-failed': withSlice({
    children: [{ task: { failures: 1, end: 'plain-failure' }, slice }],
  }),
  'child-slice-cancelled': withSlice({
    cancelAfterMs: 1_000,
    children: [{ task: { failures: 1, end: 'waits' }, slice }],
  }),
  'policy-changed': (recorder, name) =>
    withWorker(recorder, async () => {
      const steps: Steps = { calls: [{ failures: 1 }, { failures: 1 }, { failures: 0 }] };
      const handle = await recorder.start(name, 'stepwise', steps);
      const by = 'a person';
      await handle.signal('go');
      await setPolicy(handle, { policy: { version: '2', globalRetryBudget: 1 }, by });
      await handle.signal('go');
      await setPolicy(handle, { policy: { mode: 'off' }, by, note: 'a storm' });
      await handle.signal('go');
      return recorder.record(handle);
    }),
  'policy-loaded': (recorder, name) =>
    withWorker(recorder, async () =>
      recorder.record(await recorder.start(name, 'sourcedTask', retried)),
    ),
  'budget-continued': (recorder, name) =>
    withWorker(recorder, () => recordContinued(recorder, name)),
};
