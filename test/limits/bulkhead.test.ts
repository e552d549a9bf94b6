import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createBulkhead } from '../../src/limits/index.js';

describe('a bulkhead', () => {
  it('lets so many in and no more, for each key', () => {
    const bulkhead = createBulkhead();
    assert.ok(bulkhead.tryEnter('slow', 2));
    assert.ok(bulkhead.tryEnter('slow', 2));
    assert.equal(bulkhead.tryEnter('slow', 2), undefined);
    assert.ok(bulkhead.tryEnter('other', 2));
  });

  it('lets one in for each that leaves', () => {
    const bulkhead = createBulkhead();
    const leave = bulkhead.tryEnter('slow', 1);
    leave?.();
    assert.ok(bulkhead.tryEnter('slow', 1));
    assert.equal(bulkhead.tryEnter('slow', 1), undefined);
  });

  it('counts who leaves twice once', () => {
    const bulkhead = createBulkhead();
    const leave = bulkhead.tryEnter('slow', 2);
    bulkhead.tryEnter('slow', 2);
    leave?.();
    leave?.();
    assert.equal(bulkhead.running('slow'), 1);
  });

  it('goes by the number of the day', () => {
    const bulkhead = createBulkhead();
    bulkhead.tryEnter('slow', 3);
    bulkhead.tryEnter('slow', 3);
    assert.equal(bulkhead.tryEnter('slow', 1), undefined);
    assert.ok(bulkhead.tryEnter('slow', 3));
  });
});
