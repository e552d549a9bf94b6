import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import {
  type HoldfastEnd,
  type HoldfastOptions,
  runHoldfast,
} from '../support/holdfast-command.js';
import { claimEffect, doneEnd, keyOf, settleEffect, unknownEnd } from './fixture/effects.js';
import { type OpenLedger, postgresStore, sqliteStore } from './fixture/stores.js';

for (const store of [sqliteStore(), postgresStore()]) {
  describe(`holdfast ledger on ${store.name}`, () => {
    before(store.start);
    after(store.stop);

    let opened: OpenLedger;
    beforeEach(async () => {
      opened = await store.open();
    });
    afterEach(() => opened.ledger.close());

    const holdfast = (
      args: readonly string[],
      options: HoldfastOptions = {},
    ): Promise<HoldfastEnd> =>
      runHoldfast(['ledger', ...args, '--ledger', opened.address], options);
    const json = async (...args: string[]): Promise<unknown> => {
      const ended = await holdfast([...args, '--json']);
      assert.equal(ended.code, 0, ended.stderr);
      return JSON.parse(ended.stdout);
    };
    const listedKeys = async (...args: string[]): Promise<readonly string[]> => {
      const { entries } = (await json('list', ...args)) as Listed; // the command's own JSON
      return entries.map(({ key }) => key).sort();
    };
    const keysOf = (...names: string[]): readonly string[] => names.map(keyOf).sort();

    it('lists effects by state, workflow and tool', async () => {
      const { ledger } = opened;
      await claimEffect(ledger, 'a');
      await settleEffect(ledger, 'b', unknownEnd, { tool: 'send_mail' });
      await settleEffect(ledger, 'c', doneEnd, { workflowId: 'ticket-a' });
      assert.deepEqual(await listedKeys(), keysOf('a', 'b', 'c'));
      assert.deepEqual(await listedKeys('--state', 'unknown'), keysOf('b'));
      assert.deepEqual(await listedKeys('--state', 'claimed'), keysOf('a'));
      assert.deepEqual(await listedKeys('--workflow', 'ticket-a'), keysOf('a', 'c'));
      assert.deepEqual(await listedKeys('--tool', 'send_mail'), keysOf('b'));
    });

    it('goes on where an earlier list ended', async () => {
      for (const name of ['a', 'b', 'c']) await claimEffect(opened.ledger, name);
      const first = (await json('list', '--limit', '2')) as Listed; // the command's own JSON
      assert.equal(first.entries.length, 2);
      const rest = (await json('list', '--limit', '2', '--after', first.next ?? '')) as Listed;
      assert.equal(rest.next, null);
      const seen = [...first.entries, ...rest.entries].map(({ key }) => key);
      assert.deepEqual(seen.sort(), keysOf('a', 'b', 'c'));
    });

    it('finds an effect by its key and by the first digits of it', async () => {
      const key = await settleEffect(opened.ledger, 'a', doneEnd);
      for (const given of [key, key.slice(0, 8), `${key.slice(0, 12)}…`]) {
        const entry = (await json('show', given)) as { readonly key: string };
        assert.equal(entry.key, key, given);
      }
    });

    it('refuses first digits that several keys share', async () => {
      for (const last of ['0', '1']) {
        await claimEffect(opened.ledger, last, { key: `${'ab'.repeat(16)}${last.repeat(32)}` });
      }
      const ended = await holdfast(['show', 'abababab']);
      assert.equal(ended.code, 2);
      assert.equal(ended.stderr, 'error: Several keys begin with abababab: give more of it.\n');
    });

    it('settles an unknown effect as done, with its result', async () => {
      const key = await settleEffect(opened.ledger, 'a', unknownEnd);
      const said = ['--done', '--result', '{"refundId":"r-9"}', '--by', 'ada', '--note', 'seen'];
      const ended = await holdfast(['settle', key, ...said, '--no-tell']);
      assert.equal(ended.code, 0, ended.stderr);
      const entry = await opened.ledger.find(key);
      assert.equal(entry?.state, 'done');
      const effect = { kind: 'result', value: { refundId: 'r-9' } };
      assert.deepEqual(entry.end, { kind: 'done', effect });
      assert.deepEqual([entry.settledBy, entry.note], ['ada', 'seen']);
    });

    it('settles an unknown effect as not done, so that it may run', async () => {
      const lost = { leaseMs: 1 }; // it may run once the lost attempt's lease is over
      const key = await settleEffect(opened.ledger, 'a', unknownEnd, lost);
      const ended = await holdfast(['settle', key, '--not-done', '--no-tell']);
      assert.equal(ended.code, 0, ended.stderr);
      assert.equal((await opened.ledger.find(key))?.state, 'released');
      assert.equal((await claimEffect(opened.ledger, 'a')).key, key);
    });

    it('settles an effect whose lease has run out', async () => {
      const { key } = await claimEffect(opened.ledger, 'a', { leaseMs: 1 });
      const ended = await holdfast(['settle', key, '--not-done', '--no-tell']);
      assert.equal(ended.code, 0, ended.stderr);
    });

    it('sweeps in batches and says what it did', async () => {
      for (const name of ['a', 'b', 'c']) await claimEffect(opened.ledger, name, { leaseMs: 1 });
      await settleEffect(opened.ledger, 'd', doneEnd);
      const ended = await holdfast(['sweep', '--batch', '2']);
      assert.equal(ended.code, 0, ended.stderr);
      assert.equal(
        ended.stdout,
        'Removed 0 effects settled more than 30 days ago; marked 3 whose lease had run out as unknown.\n',
      );
      assert.match(ended.stderr, /^0 removed, 2 marked so far …\n/);
      assert.deepEqual(await json('sweep'), { removed: 0, expired: 0 });
    });
  });
}

type Listed = {
  readonly entries: readonly { readonly key: string }[];
  readonly next: string | null;
};
