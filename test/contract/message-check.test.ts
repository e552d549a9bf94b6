import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  answerFaults,
  decisionFaults,
  policyChangeFaults,
  settlementFaults,
} from '../../src/contract/message-check.js';

const decision = { callId: '1', fingerprint: 'f', approve: true, by: 'Ada' };
const answer = { questionId: 'q1.1', answer: null, by: 'Ada' };
const change = { policy: { version: '2' }, by: 'Ada' };
const settlement = { key: 'k', done: true, result: null, by: 'Ada' };

type Check = (message: unknown) => readonly { readonly field: string }[];

const messages: readonly (readonly [string, Check, object])[] = [
  ['a decision', decisionFaults, decision],
  ['an answer', answerFaults, answer],
  ['a settlement', settlementFaults, settlement],
  ['a change', policyChangeFaults, change],
];

for (const [name, faults, right] of messages) {
  describe(name, () => {
    const [field] = name.split(' ').slice(1);

    it('is taken with and without a note', () => {
      assert.deepEqual(faults(right), []);
      assert.deepEqual(faults({ ...right, note: '' }), []);
    });

    it('must be an object', () => {
      for (const wrong of [undefined, null, 'yes', [right], new Map()]) {
        assert.deepEqual(
          faults(wrong).map((fault) => fault.field),
          [field],
        );
      }
    });

    it('must hold each of its fields', () => {
      for (const missing of Object.keys(right)) {
        const message = Object.fromEntries(
          Object.entries(right).filter(([other]) => other !== missing),
        );
        assert.deepEqual(
          faults(message).map((fault) => fault.field),
          [`${field}.${missing}`],
        );
      }
    });

    it('may hold no other field', () => {
      const [fault] = faults({ ...right, notes: 'x' });
      assert.equal(fault?.field, `${field}.notes`);
    });

    it('must say who speaks, in at most 200 characters, with a note of at most 2,000', () => {
      const wrong: readonly object[] = [
        { by: '' },
        { by: ' ' },
        { by: 7 },
        { by: 'x'.repeat(201) },
        { note: 7 },
        { note: 'x'.repeat(2_001) },
      ];
      for (const fields of wrong) {
        const [fault] = faults({ ...right, ...fields });
        assert.equal(fault?.field, `${field}.${Object.keys(fields)[0]}`);
      }
      assert.deepEqual(faults({ ...right, by: 'x'.repeat(200), note: 'x'.repeat(2_000) }), []);
    });
  });
}

describe('the result of a settlement', () => {
  it('must be JSON where it is done', () => {
    for (const result of [Number.NaN, () => 1, new Date(), 1n, undefined]) {
      const [fault] = settlementFaults({ ...settlement, result });
      assert.equal(fault?.field, 'settlement.result');
    }
  });

  it('must be absent where it is not done', () => {
    const { result, ...without } = settlement;
    assert.deepEqual(settlementFaults({ ...without, done: false }), []);
    const [fault] = settlementFaults({ ...without, done: false, result });
    assert.equal(fault?.field, 'settlement.result');
  });
});
