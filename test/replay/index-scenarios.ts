import type { Task } from 'holdfast/contract';
import { recordChain } from '../support/record-histories.js';
import type { Plan } from '../workflows/fixture/workflows.js';
import { type Scenario, withWorker } from './scenario.js';

const broken: Task['steps'][number] = {
  id: 'find',
  tool: 'look',
  input: { script: ['server'] },
};

const indexed =
  (workflow: string, argument: unknown): Scenario =>
  (recorder, name) =>
    withWorker(recorder, async () =>
      recorder.record(await recorder.startIndexed(name, workflow, argument)),
    );

/** Runs that are found by their search attributes, by the names of their histories. */
export const indexScenarios: Readonly<Record<string, Scenario>> = {
  'indexed-degraded': indexed('calls', {
    calls: [
      { tool: 'search', script: ['server'] },
      { tool: 'look', script: ['server', 'ok'] },
    ],
  } satisfies Plan),
  'indexed-exhausted': indexed('agentTask', { steps: [broken] }),
  'indexed-loop': (recorder, name) =>
    withWorker(recorder, async () => {
      recorder.rig.say(name, ({ number, toolChoice }) =>
        toolChoice === 'none'
          ? { text: 'as far as I came' }
          : { calls: [{ name: 'find_article', input: { query: `q${number}` } }] },
      );
      return recorder.record(await recorder.startIndexed(name, 'shortLoop', { prompt: name }));
    }),
  'indexed-batch': indexed('batch', { items: [{}, { end: 'fail' }], pauseMs: 0 }),
  'indexed-continued': (recorder, name) =>
    withWorker(recorder, async () => {
      const plan: Plan = { calls: [{ tool: 'look', script: ['server', 'ok'] }] };
      return recordChain(recorder, await recorder.startIndexed(name, 'handingOver', plan, 1));
    }),
};
