import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type CallHeader,
  envelopeOf,
  noSums,
  openHeader,
  packHeader,
} from '../../src/contract/call-header.js';
import { policyDefaults } from '../../src/contract/policy.js';

const plain: CallHeader = {
  v: 1,
  downstream: 'orders',
  effect: 'read',
  mode: 'on',
  adopted: false,
  key: null,
  fingerprint: null,
  share: 2,
  before: noSums,
  tokensLeft: null,
  timeLeftMs: null,
  backoff: { baseMs: 200, capMs: 3_000, jitter: 'full' },
  hintCapMs: 60_000,
  ownIdentity: false,
  keyWindowMs: 86_400_000,
  approval: null,
  settlement: null,
  undoes: null,
  maxPayloadBytes: 1_900_000,
  ratio: { percent: 10, windowMs: 10_000, minSamples: 100 },
  limits: {},
  workerBreaker: { ...policyDefaults.workerBreaker },
  ticket: null,
  byReference: false,
};
const rich: CallHeader = {
  ...plain,
  effect: 'write',
  adopted: true,
  key: 'k',
  fingerprint: 'f',
  before: { failed: 'n', tokensWasted: 0, ambiguous: false },
  tokensLeft: 0,
  timeLeftMs: 1,
  tenant: 'acme',
  ownIdentity: true,
  keyWindowMs: 1,
  approval: { id: 'a', key: 'k', fingerprint: 'f' },
  settlement: { done: true, by: 'ops', note: '' },
  undoes: 'u',
  maxPayloadBytes: 1_000,
  ratio: { percent: 20, windowMs: 10_000, minSamples: 100 },
  limits: { requestsPerMinute: 60 },
  workerBreaker: { ...policyDefaults.workerBreaker, openForMs: 1_000 },
  ticket: 't',
  byReference: true,
};

describe('the header of a call', () => {
  for (const [name, header] of Object.entries({ plain, rich })) {
    it(`comes through the wire as it was: ${name}`, () => {
      assert.deepEqual(openHeader(JSON.parse(JSON.stringify(packHeader(header)))), header);
    });
  }

  it('carries no default', () => {
    assert.deepEqual(Object.keys(packHeader(plain)), [
      'v',
      'downstream',
      'effect',
      'mode',
      'share',
      'backoff',
      'hintCapMs',
    ]);
  });
});

describe('the envelope of a result', () => {
  it('says nothing of attempts where none failed and no token was used', () => {
    assert.deepEqual(envelopeOf(1, noSums), { $holdfast: 1, value: 1 });
  });

  it('says what failed before, and what was used', () => {
    const sums = { failed: 'f', tokensWasted: 3, ambiguous: false };
    const used = { tokens: 7, costMicros: 20 };
    assert.deepEqual(envelopeOf(1, sums, used), {
      $holdfast: 1,
      value: 1,
      sums,
      tokens: 7,
      cost: 20,
    });
  });
});
