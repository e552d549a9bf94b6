import type { Script } from '../loops/fixture/scripts.js';
import { type Scenario, withWorker } from './scenario.js';

/** A loop whose model follows a script. */
function scripted(workflow: string, script: Script): Scenario {
  return (recorder, name) =>
    withWorker(recorder, async () => {
      recorder.rig.say(name, script);
      return recorder.record(await recorder.start(name, workflow, { prompt: name }));
    });
}

const find = (query: string) => ({ name: 'find_article', input: { query } });

/** Runs in which a model chooses the calls, by the names of their histories. */
export const loopScenarios: Readonly<Record<string, Scenario>> = {
  'loop-answered': scripted('agentLoop', ({ number }) => {
    const count = { name: 'count_stock', input: { item: 'kettle' } };
    const answers = [
      { calls: [find('a'), find('b'), { name: 'teleport', input: {} }] },
      { calls: [find('a'), count, { name: 'flaky', input: { query: 'c' } }] },
      { calls: [count, { name: 'pay_order', input: { orderId: 'A', amountCents: 5 } }] },
    ];
    return answers[number] ?? { text: 'done' };
  }),
  'loop-limited': scripted('shortLoop', ({ number, toolChoice }) =>
    toolChoice === 'none' ? { text: 'as far as I came' } : { calls: [find(`q${number}`)] },
  ),
  'loop-rejected': scripted('flakyLoop', ({ number, tools = [] }) =>
    tools.some(({ name }) => name === 'flaky')
      ? { calls: [{ name: 'flaky', input: { query: `q${number}` } }] }
      : { text: 'without it' },
  ),
};
