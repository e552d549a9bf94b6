import { send, waitingOf } from '../support/people-rig.js';
import type { Payments } from '../workflows/fixture/people-workflows.js';
import { type Scenario, withWorker } from './scenario.js';

const by = 'a person';
const large = { orderId: 'A', amountCents: 20_000 };

/** Payments of which each is decided in the same way. */
function decided(
  payments: Payments,
  decision: { readonly approve: boolean; readonly note?: string },
): Scenario {
  return (recorder, name) =>
    withWorker(recorder, async () => {
      const handle = await recorder.start(name, 'pays', payments);
      const waiting = await waitingOf(handle, 'approvals', payments.payments.length);
      for (const { callId, fingerprint } of waiting) {
        await send(handle, 'decide', { callId, fingerprint, by, ...decision });
      }
      return recorder.record(handle);
    });
}

/** Runs that wait for people, by the names of their histories. */
export const peopleScenarios: Readonly<Record<string, Scenario>> = {
  approved: decided({ payments: [large, { ...large, orderId: 'B' }] }, { approve: true }),
  denied: decided({ payments: [large], notify: 'tell' }, { approve: false, note: 'too much' }),
  answered: (recorder, name) =>
    withWorker(recorder, async () => {
      const handle = await recorder.start(name, 'asks', { timeoutMs: 3_600_000 });
      const [{ questionId }] = await waitingOf(handle, 'questions');
      const answer = { street: 'Elm Street', number: 7 };
      await send(handle, 'answer', { questionId, answer, by });
      return recorder.record(handle);
    }),
};
