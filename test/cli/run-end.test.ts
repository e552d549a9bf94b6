import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ApplicationFailure,
  CancelledFailure,
  TerminatedFailure,
  TimeoutFailure,
  WorkflowFailedError,
} from '@temporalio/client';
import { endOf } from '../../src/cli/run/run-end.js';

describe('how a run ended', () => {
  const detail = { kind: 'failed' };
  const failed = ApplicationFailure.create({
    message: 'no',
    type: 'holdfast.task-failed',
    details: [detail],
  });
  const plain = { message: 'why', type: null, detail: null };
  const rows = [
    { cause: failed, end: { kind: 'failed', message: 'no', type: failed.type, detail } },
    { cause: new CancelledFailure('why'), end: { ...plain, kind: 'cancelled' } },
    { cause: new TerminatedFailure('why'), end: { ...plain, kind: 'terminated' } },
    {
      cause: new TimeoutFailure('why', undefined, 'START_TO_CLOSE'),
      end: { ...plain, kind: 'timed-out' },
    },
    { cause: undefined, end: { ...plain, kind: 'failed', message: 'it failed' } },
  ];
  for (const { cause, end } of rows) {
    it(`is told of ${cause?.name ?? 'no failure at all'}`, async () => {
      const error = new WorkflowFailedError('it failed', cause, 'NON_RETRYABLE_FAILURE');
      assert.deepEqual(await endOf(Promise.reject(error)), end);
    });
  }

  const answers = [
    { value: { kind: 'ok' }, kind: 'ok' },
    { value: undefined, kind: 'ok' },
    { value: 'partial', kind: 'ok' },
    { value: { kind: 'ok', degraded: true }, kind: 'degraded' },
    ...['partial', 'degraded', 'limited', 'cancelled'].map((kind) => ({
      value: { kind },
      kind: 'degraded',
    })),
  ];
  for (const { value, kind } of answers) {
    it(`is ${kind} with ${JSON.stringify(value) ?? 'nothing'}`, async () => {
      assert.equal((await endOf(Promise.resolve(value))).kind, kind);
    });
  }

  it('has a result in JSON where the workflow returned nothing', async () => {
    assert.deepEqual(await endOf(Promise.resolve(undefined)), { kind: 'ok', result: null });
  });

  it('isn’t told of an error of the connection', async () => {
    const lost = new Error('lost');
    await assert.rejects(endOf(Promise.reject(lost)), lost);
  });
});
