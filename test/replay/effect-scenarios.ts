import { setTimeout as pause } from 'node:timers/promises';
import { send, waitingOf } from '../support/people-rig.js';
import { recordInterrupted } from '../support/record-histories.js';
import type { Plan } from '../workflows/fixture/workflows.js';
import { type Scenario, withWorker } from './scenario.js';

const lostMail: Plan = {
  policy: { onUnknown: 'wait' },
  calls: [{ tool: 'send', script: ['network'], note: 'lost' }],
};

/** A write of which nobody knows, until somebody says what became of it. */
const settled =
  (...words: readonly boolean[]): Scenario =>
  (recorder, name) =>
    withWorker(recorder, async () => {
      const handle = await recorder.start(name, 'calls', lostMail);
      for (const done of words) {
        const [{ key }] = await waitingOf(handle, 'unknowns');
        const result = done ? { result: { attempt: 1, note: 'seen' } } : {};
        await send(handle, 'settle', { key, done, ...result, by: 'a person' });
      }
      return recorder.record(handle);
    });

/** Runs whose writes the ledger answers for, by the names of their histories. */
export const effectScenarios: Readonly<Record<string, Scenario>> = {
  'write-replayed': (recorder, name) =>
    withWorker(recorder, async () => {
      const twice: Plan = {
        calls: [
          { tool: 'pay', script: ['server', 'ok'], note: 'once' },
          { tool: 'pay', script: ['ok'], note: 'once' },
        ],
      };
      return recorder.record(await recorder.start(name, 'calls', twice));
    }),
  'write-settled-done': settled(true),
  'write-settled-twice': settled(false, true),
  'write-killed': (recorder, name) =>
    recordInterrupted(recorder, {
      name,
      plan: { calls: [{ tool: 'send', script: ['ok'] }] },
      at: 'send#1',
      by: 'kill',
    }),
  'write-cancelled': (recorder, name) =>
    withWorker(recorder, async () => {
      const slow: Plan = { calls: [{ tool: 'pay', script: ['ok'], slowMs: 800 }] };
      const handle = await recorder.start(name, 'calls', slow);
      await pause(400);
      await handle.cancel();
      return recorder.record(handle);
    }),
};
