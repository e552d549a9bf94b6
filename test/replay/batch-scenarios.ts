import type { Item } from '../batch/fixture/workflows.js';
import { type Scenario, withWorker } from './scenario.js';

const items: readonly Item[] = [{}, { end: 'fail' }, { id: 'third' }, { end: 'degraded' }, {}];

/** Batches, by the names of their histories. */
export const batchScenarios: Readonly<Record<string, Scenario>> = {
  batch: (recorder, name) =>
    withWorker(recorder, async () => {
      const input = { items, concurrency: 2, pauseMs: 20 };
      return recorder.record(await recorder.start(name, 'batch', input));
    }),
  'batch-cancelled': (recorder, name) =>
    withWorker(recorder, async () => {
      const slow = Array<Item>(3).fill({ takesMs: 60_000 });
      const handle = await recorder.start(name, 'batch', { items: slow, concurrency: 2 });
      const word = { by: 'a person' };
      await handle.executeUpdate<unknown, [unknown]>('holdfast.pauseBatch', { args: [word] });
      await handle.executeUpdate<unknown, [unknown]>('holdfast.cancelBatch', { args: [word] });
      return recorder.record(handle);
    }),
};
