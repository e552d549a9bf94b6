import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { historyIn } from '../../src/history/history-in.js';

describe('historyIn', () => {
  const events = [{ eventId: '1' }];
  it('finds the events wherever the tools put them', () => {
    for (const document of [events, { events }, { history: { events } }, { history: events }]) {
      assert.deepEqual(historyIn(document), { events });
    }
  });
  it('finds none in anything else', () => {
    for (const document of [
      null,
      7,
      'x',
      {},
      [],
      { events: [] },
      { events: [1] },
      { history: null },
    ]) {
      assert.equal(historyIn(document), undefined);
    }
  });
});
