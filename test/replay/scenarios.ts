import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type { Task } from 'holdfast/contract';
import {
  type Recorder,
  recordChain,
  recordInterrupted,
  recordUngoverned,
} from '../support/record-histories.js';
import type { Recording } from '../support/recording.js';
import type { ParentPlan } from '../workflows/fixture/child-workflows.js';
import type { SagaPlan } from '../workflows/fixture/undo-workflows.js';
import type { Plan } from '../workflows/fixture/workflows.js';
import { batchScenarios } from './batch-scenarios.js';
import { budgetScenarios } from './budget-scenarios.js';
import { degradingScenarios } from './degrading-scenarios.js';
import { effectScenarios } from './effect-scenarios.js';
import { indexScenarios } from './index-scenarios.js';
import { loopScenarios } from './loop-scenarios.js';
import { peopleScenarios } from './people-scenarios.js';
import { type Scenario, withWorker } from './scenario.js';

const scenarioOf =
  (workflow: string, ...args: readonly unknown[]): Scenario =>
  (recorder, name) =>
    withWorker(recorder, async () =>
      recorder.record(await recorder.start(name, workflow, ...args)),
    );
const calls = (plan: Plan): Scenario => scenarioOf('calls', plan);
const task = (steps: Task['steps']): Scenario => scenarioOf('agentTask', { steps });

/** Steps of which the last one fails and the others are undone. */
const undoneSteps: Task['steps'] = [
  { id: 'first', tool: 'book', input: { note: 'one', script: ['network', 'ok'] } },
  {
    id: 'second',
    tool: 'pack',
    input: { note: 'two', script: ['ok'] },
    compensate: {
      tool: 'unbook',
      input: { note: { $ref: 'second#/note' }, script: ['server', 'ok'], answered: true },
    },
  },
  { id: 'third', tool: 'book', input: { note: 'three', script: ['not-found'] } },
];

/** A write that takes its time. */
const slowStep: Task['steps'][number] = {
  id: 'slow',
  tool: 'post',
  input: { note: 'four', script: ['ok'], slowMs: 4_000 },
};
/** Every scenario by the name of its history. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  success: calls({
    tools: ['look', 'pay'],
    calls: [
      { tool: 'look', script: ['ok'] },
      { tool: 'pay', script: ['ok'], note: 'one' },
    ],
  }),
  'retried-success': calls({
    tools: ['look', 'search'],
    calls: [
      { tool: 'look', script: ['server', 'network', 'ok'] },
      { tool: 'search', script: ['rate-limit', 'ok'] },
    ],
  }),
  models: scenarioOf('asking', {
    policy: { globalRetryBudget: 20, tokens: { target: 5_000, retryPercent: 10 } },
    calls: [{ model: 'plain' }, { model: 'fast' }, { model: 'left' }, { model: 'plain' }],
  }),
  exhausted: calls({ calls: [{ tool: 'look', script: ['server'] }] }),
  'not-retried': calls({
    calls: [
      { tool: 'look', script: ['auth'] },
      { tool: 'send', script: ['timeout'] },
      { tool: 'look_again', script: ['ok'] },
    ],
  }),
  degraded: calls({
    calls: [
      { tool: 'search', script: ['server'] },
      { tool: 'search_elsewhere', script: ['ok'], note: 'asks another tool' },
    ],
  }),
  'breaker-open': calls({
    calls: [
      { tool: 'look', script: ['server'] },
      { tool: 'look', script: ['ok'] },
      { tool: 'look_again', script: ['ok'] },
      { tool: 'pay', script: ['ok'] },
    ],
  }),
  'breaker-probe': calls({
    calls: [
      { tool: 'look', script: ['server'] },
      { tool: 'look', script: ['ok'] },
      { tool: 'look', script: ['ok'] },
      { tool: 'look', script: ['ok'] },
      { tool: 'look', script: ['ok'] },
    ],
  }),
  waiting: calls({
    tools: ['look'],
    calls: [{ tool: 'look', script: ['wait-once'] }],
  }),
  'worker-lost': (recorder, name) =>
    recordInterrupted(recorder, {
      name,
      plan: { tools: ['slow'], calls: [{ tool: 'slow', script: ['server', 'ok'] }] },
      at: 'slow#2',
      by: 'kill',
    }),
  'worker-lost-write': (recorder, name) =>
    recordInterrupted(recorder, {
      name,
      plan: { calls: [{ tool: 'send', script: ['ok'] }] },
      at: 'send#1',
      by: 'kill',
    }),
  'worker-shut-down': (recorder, name) =>
    recordInterrupted(recorder, {
      name,
      plan: { tools: ['slow'], calls: [{ tool: 'slow', script: ['server', 'ok'] }] },
      at: 'slow#2',
      by: 'shutDown',
    }),
  'worker-lost-too-often': (recorder, name) =>
    recordInterrupted(recorder, {
      name,
      plan: {
        calls: [{ tool: 'slow', script: ['ok'] }],
        policy: { interruptions: { perCall: 0 } },
      },
      at: 'slow#1',
      by: 'kill',
    }),
  'cancelled-after-interruption': (recorder, name) =>
    recordInterrupted(recorder, {
      name,
      plan: {
        calls: [{ tool: 'look', script: ['ok'] }],
        policy: { backoff: { baseMs: 600_000, capMs: 600_000 } },
      },
      at: 'look#1',
      by: 'shutDown',
      afterwards: async (handle) => {
        await untilTimer(handle);
        await handle.cancel();
      },
    }),
  'cancelled-in-attempt': (recorder, name) =>
    recordCancelled(recorder, name, {
      plan: { calls: [{ tool: 'slow', script: ['ok'], slowMs: 1_500 }] },
      attempt: 1,
    }),
  'cancelled-in-backoff': (recorder, name) =>
    recordCancelled(recorder, name, {
      plan: {
        calls: [{ tool: 'look', script: ['server'] }],
        policy: { backoff: { baseMs: 30_000, capMs: 30_000, jitter: 'none' } },
      },
      attempt: 2,
    }),
  parallel: calls({
    parallel: true,
    calls: [
      { tool: 'look', script: ['server', 'ok'] },
      { tool: 'look_again', script: ['ok'], slowMs: 200 },
      { tool: 'search', script: ['overloaded', 'overloaded', 'ok'] },
      { tool: 'pay', script: ['ok'], note: 'four' },
    ],
  }),
  'activity-and-timer': scenarioOf('activityAndTimer', {
    calls: [{ tool: 'look', script: ['server', 'ok'] }],
  } satisfies Plan),
  'continue-as-new': (recorder, name) =>
    withWorker(recorder, async () => {
      const plan: Plan = {
        calls: [
          { tool: 'slow', script: ['ok'], slowMs: 400 },
          { tool: 'look', script: ['server', 'ok'] },
        ],
      };
      return recordChain(recorder, await recorder.start(name, 'handingOver', plan, 2));
    }),
  'task-ok': task([
    { id: 'first', tool: 'look', input: { script: ['server', 'ok'], note: 'found' } },
    {
      id: 'second',
      tool: 'pay',
      input: { script: ['ok'], note: { $ref: 'first#/note' } },
    },
  ]),
  'task-partial': task([
    { id: 'first', tool: 'look', input: { script: ['not-found'] }, required: false },
    { id: 'second', tool: 'pay', input: { script: ['ok'] } },
  ]),
  'task-failed': task([
    { id: 'first', tool: 'look', input: { script: ['server'] } },
    { id: 'second', tool: 'pay', input: { script: ['ok'] } },
  ]),
  'task-invalid': (recorder, name) =>
    withWorker(recorder, async () => {
      const steps = [{ id: 'first', tool: 'look', input: { script: [] } }];
      // holdfast's client would refuse it before the start
      return recorder.record(await recorder.startPlainly(name, 'agentTask', { steps }));
    }),
  'task-undone': scenarioOf('undoTask', { steps: undoneSteps } satisfies Task),
  'task-cancelled-undone': (recorder, name) =>
    withWorker(recorder, async () => {
      const steps = [...undoneSteps.slice(0, 1), { ...slowStep }];
      const handle = await recorder.start(name, 'undoTask', { steps });
      await untilPending(handle, 'post');
      await handle.cancel();
      return recorder.record(handle);
    }),
  'saga-undone': scenarioOf('saga', {
    parallel: true,
    calls: [
      { tool: 'book', note: 'one', script: ['ok'], slowMs: 200 },
      { tool: 'post', note: 'two', script: ['ok'], undo: ['server', 'ok'] },
    ],
    inner: [{ tool: 'pack', note: 'three', script: ['ok'] }],
    end: 'throw',
  } satisfies SagaPlan),
  'undo-interrupted': (recorder, name) =>
    recordInterrupted(recorder, {
      name,
      workflow: 'undoTask',
      plan: { steps: undoneSteps },
      at: 'unbook#1',
      by: 'kill',
    }),
  'child-named': scenarioOf('parent', {
    children: [{ type: 'paying' }, { type: 'paying' }],
  } satisfies ParentPlan),
  ...budgetScenarios,
  ...peopleScenarios,
  ...effectScenarios,
  ...degradingScenarios,
  ...batchScenarios,
  ...loopScenarios,
  ...indexScenarios,
  'plain-started-by-plugin': scenarioOf('plainPages', 1),
  'plain-patched': (recorder, name) =>
    withWorker(recorder, async () =>
      recorder.record(await recorder.startPlainly(name, 'plainPages', 1)),
    ),
  'plain-ungoverned': (recorder, name) => recordUngoverned(recorder, name, 1),
};

async function recordCancelled(
  recorder: Recorder,
  name: string,
  cancelled: { readonly plan: Plan; readonly attempt: number },
): Promise<Recording> {
  return withWorker(recorder, async () => {
    const handle = await recorder.start(name, 'calls', cancelled.plan);
    await untilAttempt(handle, cancelled.attempt);
    await handle.cancel();
    return recorder.record(handle);
  });
}

/** Waits until the server has an attempt of this number pending: running, or waiting for its time. */
async function untilAttempt(handle: WorkflowHandle, wanted: number): Promise<void> {
  const started = (pending: { readonly state?: unknown; readonly attempt?: unknown }): boolean =>
    Number(pending.attempt) === wanted && (wanted > 1 || Number(pending.state) === STARTED);
  for (;;) {
    const { raw } = await handle.describe();
    if (raw.pendingActivities?.some(started) === true) return;
    await sleep(20);
  }
}

/** Waits until an activity of this type runs. */
async function untilPending(handle: WorkflowHandle, type: string): Promise<void> {
  for (;;) {
    const { raw } = await handle.describe();
    const isRunning = raw.pendingActivities?.some(
      ({ activityType, state }) => activityType?.name === type && Number(state) === STARTED,
    );
    if (isRunning === true) return;
    await sleep(20);
  }
}

async function untilTimer(handle: WorkflowHandle): Promise<void> {
  for (;;) {
    const { events } = await handle.fetchHistory();
    if (events?.some((event) => event.timerStartedEventAttributes)) return;
    await sleep(20);
  }
}

/** Temporal's number of a pending activity that runs. */
const STARTED = 2;
