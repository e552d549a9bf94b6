import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { failureOf } from '../support/failure-of.js';
import {
  type PeopleRig,
  refusalOf,
  send,
  startPeopleRig,
  updateEventsOf,
  waitingOf,
} from '../support/people-rig.js';

let rig: PeopleRig;
before(async () => {
  rig = await startPeopleRig();
});
after(() => rig.stop());

const hour = 3_600_000;
const answer = { street: 'Elm Street', number: 7 };

describe('a question', () => {
  it('shows its text and the schema of its answer, and is answered', async () => {
    const handle = await rig.start('asks', { timeoutMs: hour });
    const [waiting] = await waitingOf(handle, 'questions');
    assert.equal(waiting.questionId, 'q1.1');
    assert.equal(waiting.question, 'Where does it go?');
    assert.equal(waiting.deadlineAt - waiting.requestedAt, hour);
    const { properties } = waiting.answerSchema as { readonly properties: object }; // a JSON schema
    assert.deepEqual(Object.keys(properties), ['street', 'number']);
    const { questionId } = waiting;
    const receipt = await send(handle, 'answer', { questionId, answer, by: 'Ada', note: 'today' });
    assert.deepEqual(receipt, { questionId });
    assert.deepEqual(await handle.result(), {
      kind: 'ok',
      value: answer,
      questionId,
      by: 'Ada',
      note: 'today',
    });
    assert.deepEqual(await handle.query('holdfast.questions'), []);
  });

  it('refuses an answer that its schema refuses, with every fault, and keeps waiting', async () => {
    const handle = await rig.start('asks', { timeoutMs: hour });
    const [{ questionId }] = await waitingOf(handle, 'questions');
    const wrong = { questionId, answer: { street: 'E', number: 1.5 }, by: 'Ada' };
    const refusal = await refusalOf(send(handle, 'answer', wrong));
    assert.equal(refusal.type, 'invalid-request');
    assert.match(refusal.message, /answer\.answer\.street .*, got "E"/);
    assert.match(refusal.message, /answer\.answer\.number .*, got 1\.5/);
    assert.equal(await updateEventsOf(handle), 0);
    assert.equal((await waitingOf(handle, 'questions'))[0].questionId, questionId);
    await send(handle, 'answer', { questionId, answer, by: 'Ada' });
    await handle.result();
  });

  it('refuses an answer to a question that nobody asked, and one that comes twice', async () => {
    const handle = await rig.start('asks', { timeoutMs: hour });
    const [{ questionId }] = await waitingOf(handle, 'questions');
    const stray = await refusalOf(send(handle, 'answer', { questionId: 'q9', answer, by: 'Ada' }));
    assert.equal(stray.type, 'not-waiting');
    assert.equal(
      stray.message,
      'Question q9 does not wait for anybody. These wait: q1.1 ("Where does it go?").',
    );
    const ends = await Promise.allSettled([
      send(handle, 'answer', { questionId, answer, by: 'Ada' }),
      send(handle, 'answer', { questionId, answer: { ...answer, number: 8 }, by: 'Bob' }),
    ]);
    assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1);
    await handle.result();
  });

  it('takes answers of those only whom the policy names', async () => {
    const policy = { deciders: ['Bob'] };
    const handle = await rig.start('asks', { timeoutMs: hour, policy });
    const [{ questionId }] = await waitingOf(handle, 'questions');
    const refusal = await refusalOf(send(handle, 'answer', { questionId, answer, by: 'Ada' }));
    assert.equal(refusal.type, 'not-a-decider');
    assert.match(refusal.message, /Question q1\.1 may be decided by Bob, not by "Ada"/);
    await handle.terminate();
  });

  it('ends denied where nobody answers in time', async () => {
    const handle = await rig.start('asks', { timeoutMs: 500 });
    const ended = { kind: 'denied', questionId: 'q1.1', reason: 'deadline' };
    assert.deepEqual(await handle.result(), ended);
  });

  it('ends degraded where nobody answers in time and something stands in', async () => {
    const handle = await rig.start('asks', { timeoutMs: 500, fallback: true });
    assert.deepEqual(await handle.result(), {
      kind: 'degraded',
      value: { street: 'Depot', number: 1 },
      questionId: 'q1.1',
      reason: 'deadline',
    });
  });

  it('that is wrong itself fails the run with every fault', async () => {
    const failure = await failureOf(await rig.start('asksWrongly'));
    assert.equal(failure.type, 'invalid-request');
    assert.match(
      failure.message,
      /ask\.schema .*; ask\.question must be a text .*; ask\.timeoutMs/,
    );
  });
});
