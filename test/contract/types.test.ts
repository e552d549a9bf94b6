import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refund } from './type-proofs.js';

describe('the types of a tool', () => {
  it('flow to its callers as type-proofs.ts proves while it compiles, and its identity gets the input as given', () => {
    assert.deepEqual(refund.identity?.({ orderId: 'ORD-1', amountCents: 1, size: 'abc' }), {
      orderId: 'ORD-1',
    });
  });
});
