import type { Degrading } from '../workflows/fixture/degrading-workflows.js';
import { type Scenario, withWorker } from './scenario.js';

/** One call that is done without, whichever way its tool declares. */
const degrading =
  (tool: Degrading['calls'][number]['tool']): Scenario =>
  (recorder, name) =>
    withWorker(recorder, async () => {
      const wanted: Degrading = { calls: [{ tool, body: 'Where is my kettle?' }] };
      return recorder.record(await recorder.start(name, 'degrades', wanted));
    });

/** Runs in which something stands in for an answer, by the names of their histories. */
export const degradingScenarios: Readonly<Record<string, Scenario>> = {
  'degraded-truncated': degrading('sumUp'),
  'degraded-by-rule': degrading('classify'),
  'degraded-disabled': degrading('compose'),
  'degraded-in-turn': degrading('reply'),
};
