import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import {
  checkUnknown,
  type SettlementToWrite,
  writeSettlement,
  writeTold,
} from '../../src/cli/ledger/write-settlement.js';
import type { SettledEnd } from '../../src/ledger/index.js';
import { until } from '../support/until.js';
import { claimEffect, doneEnd, keyOf, unknownEnd } from './fixture/effects.js';
import { type OpenLedger, sqliteStore } from './fixture/stores.js';

const store = sqliteStore();
before(() => store.start());
after(() => store.stop());

describe('writing a settlement', () => {
  let opened: OpenLedger;
  const key = keyOf('a');
  beforeEach(async () => {
    opened = await store.open();
    const claim = await claimEffect(opened.ledger, 'a', { leaseMs: 1 });
    await opened.ledger.settle(claim, unknownEnd);
    const leaseUntil = (await opened.ledger.find(key))?.leaseUntil ?? Number.NaN;
    await until(() => Date.now() > leaseUntil); // before it, what has not happened may not run
  });
  afterEach(() => opened.ledger.close());

  /** A later attempt at the effect that ends so, or that goes on. */
  async function attempt(end?: SettledEnd): Promise<void> {
    const claim = await claimEffect(opened.ledger, 'a');
    if (end !== undefined) await opened.ledger.settle(claim, end);
  }

  async function asked(done: boolean): Promise<SettlementToWrite> {
    const entry = await opened.ledger.find(key);
    assert.ok(entry);
    checkUnknown(entry);
    const settlement = { key, done, by: 'ada', ...(done ? { result: 1 } : {}) };
    return { ledger: opened.ledger, entry, settlement };
  }

  /** What the workflow's next attempt writes of a person's word. */
  const attemptWrites = (end: 'done' | 'not-done') =>
    opened.ledger.resolve(key, {
      end: end === 'done' ? { kind: end, result: 1 } : { kind: end },
      by: 'ada',
      note: '',
    });

  it('takes it for written where the workflow’s next attempt has written the same', async () => {
    const word = await asked(true);
    await attemptWrites('done');
    await writeTold(word);
    assert.equal((await opened.ledger.find(key))?.state, 'done');
  });

  const courses = [
    { state: 'released' },
    { state: 'claimed', next: () => attempt() },
    { state: 'done', next: () => attempt(doneEnd) },
    { state: 'unknown', next: () => attempt(unknownEnd) },
  ];
  for (const { state, next } of courses) {
    it(`leaves alone what is ${state} since the workflow heard that it has not happened`, async () => {
      const word = await asked(false);
      await attemptWrites('not-done');
      await next?.();
      await writeTold(word);
      assert.equal((await opened.ledger.find(key))?.state, state);
    });
  }

  it('fails where the workflow was told of a result, and somebody has let it run', async () => {
    const word = await asked(true);
    await attemptWrites('not-done');
    await assert.rejects(writeTold(word), { kind: 'wrong-state', state: 'released' });
  });

  it('says without a workflow nothing of an attempt that the person hasn’t seen', async () => {
    const word = await asked(false);
    await attemptWrites('not-done');
    await attempt(unknownEnd);
    await assert.rejects(writeSettlement(word), { kind: 'wrong-state', state: 'unknown' });
    assert.equal((await opened.ledger.find(key))?.state, 'unknown');
  });
});
