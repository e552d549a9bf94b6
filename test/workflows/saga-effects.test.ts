import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CancelledFailure, RetryState } from '@temporalio/common';
import { ActivityFailure } from '@temporalio/workflow';
import { noSums } from '../../src/contract/call-header.js';
import type { AnyTool } from '../../src/contract/tool.js';
import { type BookedEnd, cutShortEnd } from '../../src/workflows/call-book.js';
import { unsharedCall } from '../../src/workflows/call-end.js';
import { type Registration, registered, Saga } from '../../src/workflows/saga.js';
import { book, unbook } from './fixture/undo-tools.js';

const compensation = { tool: unbook, input: () => ({}) };
const cancelled = new CancelledFailure('cancelled');
const byServer = new ActivityFailure(
  'cancelled',
  'book',
  '1',
  RetryState.CANCEL_REQUESTED,
  undefined,
  cancelled,
);
const end = (tool: AnyTool, error: Error, ambiguous = false): BookedEnd =>
  cutShortEnd(unsharedCall({ call: 7, step: undefined, tool }), { ...noSums, ambiguous }, error);

/** Cancels a call and returns what its saga knows of its effect. */
async function effectOf(
  tool: AnyTool,
  cut: { readonly error: Error; readonly end?: BookedEnd },
): Promise<Registration['effect'] | undefined> {
  const saga = new Saga(undefined);
  const call = registered(saga, compensation, {
    toolCall: { tool, input: {} },
    make: ({ onCut }) => {
      if (cut.end !== undefined) onCut?.(cut.end);
      return Promise.reject(cut.error);
    },
  });
  await assert.rejects(call, (error) => error === cut.error);
  await saga.registrations[0]?.ended;
  return saga.registrations[0]?.effect;
}

describe('a call in a saga', () => {
  it('is undone by the input that it was made with, whatever became of the caller’s object', () => {
    const saga = new Saga(undefined);
    const input = { note: 'as it was' };
    const toolCall = { tool: book, input };
    void registered(saga, compensation, { toolCall, make: () => new Promise<never>(() => {}) }); // never ends
    input.note = 'changed';
    assert.deepEqual(saga.registrations[0]?.toolCall.input, { note: 'as it was' });
  });
});

describe('a call that is cancelled in a saga', () => {
  const read: AnyTool = { ...book, effect: 'read' };
  const rows: readonly (readonly [
    claim: string,
    tool: AnyTool,
    cut: Parameters<typeof effectOf>[1],
    kind: Registration['effect']['kind'],
  ])[] = [
    ['was never sent', book, { error: cancelled, end: end(book, cancelled) }, 'none'],
    [
      'had an attempt of which nobody knows',
      book,
      { error: cancelled, end: end(book, cancelled, true) },
      'may-have-happened',
    ],
    [
      'has attempts that nobody told of',
      book,
      { error: byServer, end: end(book, byServer) },
      'may-have-happened',
    ],
    ['was a read', read, { error: byServer, end: end(read, byServer) }, 'none'],
    ['had no gate that could tell', book, { error: byServer }, 'may-have-happened'],
    ['waited for a person', book, { error: cancelled }, 'none'],
  ];
  for (const [claim, tool, cut, kind] of rows) {
    const verdict = kind === 'none' ? 'needs no undo' : 'is undone';
    it(`${verdict} where it ${claim}`, async () => {
      assert.equal((await effectOf(tool, cut))?.kind, kind);
    });
  }
});
