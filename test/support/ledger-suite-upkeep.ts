import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LedgerEntry, SettledEnd, Swept } from '../../src/ledger/ledger.js';
import { claimed, done, elapse, type OpenFixture, request, withLedger } from './ledger-fixture.js';

const retentionMs = 1_000_000;
const unknown: SettledEnd = { kind: 'unknown', reason: 'timeout' };
const keysOf = (entries: readonly LedgerEntry[]): readonly string[] =>
  entries.map(({ key }) => key);

/** What keeps a ledger in order, and what shows it. */
export function describeUpkeep(open: OpenFixture): void {
  const openShort: OpenFixture = () => open({ retentionMs });

  describe('sweeps', () => {
    const ends: readonly SettledEnd[] = [
      done(1),
      { kind: 'refused', failure: { class: 'invalid-request', message: 'no' } },
      { kind: 'released' },
    ];
    for (const end of ends) {
      it(
        `R9: removes what is ${end.kind} once its retention is over, and not before`,
        withLedger(openShort, async (fixture) => {
          const { ledger } = fixture;
          await ledger.settle(await claimed(ledger), end);
          await elapse(fixture, retentionMs - 60_000);
          assert.deepEqual(await ledger.sweep(), { removed: 0, expired: 0 });
          await elapse(fixture, 60_000);
          assert.deepEqual(await ledger.sweep(), { removed: 1, expired: 0 });
          assert.equal(await ledger.find('key-1'), undefined);
        }),
      );
    }

    it(
      'R9: counts retention from the end, not from the claim',
      withLedger(openShort, async (fixture) => {
        const { ledger } = fixture;
        const claim = await claimed(ledger);
        await elapse(fixture, retentionMs);
        await ledger.settle(claim, done(1));
        assert.deepEqual(await ledger.sweep(), { removed: 0, expired: 0 });
      }),
    );

    it(
      'R7: never removes an unknown effect, however old',
      withLedger(openShort, async (fixture) => {
        const { ledger } = fixture;
        await ledger.settle(await claimed(ledger), unknown);
        await elapse(fixture, 100 * retentionMs);
        await fixture.execute('update holdfast_effects set settled_at = 1'); // whatever else went wrong
        assert.deepEqual(await ledger.sweep(), { removed: 0, expired: 0 });
        assert.equal((await ledger.find('key-1'))?.state, 'unknown');
      }),
    );

    it(
      'R7: marks claims whose lease has run out, and leaves the living ones',
      withLedger(openShort, async (fixture) => {
        const { ledger } = fixture;
        const lost = await claimed(ledger);
        await claimed(ledger, { key: 'key-2', leaseMs: 10 * retentionMs });
        await elapse(fixture, 2 * retentionMs);
        assert.deepEqual(await ledger.sweep(), { removed: 0, expired: 1 });
        const [row] = await fixture.execute(
          "select state from holdfast_effects where key = 'key-1'",
        );
        assert.equal(row?.state, 'unknown');
        assert.equal((await ledger.find('key-2'))?.state, 'claimed');
        assert.equal(await ledger.renew(lost, 60_000), false);
        assert.equal(await ledger.settle(lost, done(1)), 'settled');
      }),
    );

    it(
      'goes in batches of bounded size, and tells of each',
      withLedger(openShort, async (fixture) => {
        const { ledger } = fixture;
        for (let index = 0; index < 5; index += 1) {
          await ledger.settle(await claimed(ledger, { key: `done-${index}` }), done(index));
          await claimed(ledger, { key: `lost-${index}` });
        }
        await elapse(fixture, retentionMs);
        const batches: Swept[] = [];
        const swept = await ledger.sweep({ batchSize: 2, onBatch: (sum) => batches.push(sum) });
        assert.deepEqual(swept, { removed: 5, expired: 5 });
        assert.deepEqual(
          batches.map(({ expired, removed }) => [expired, removed]),
          [
            [2, 0],
            [4, 0],
            [5, 0],
            [5, 2],
            [5, 4],
            [5, 5],
          ],
        );
      }),
    );

    it(
      'may run in several processes at once',
      withLedger(openShort, async (fixture) => {
        const { ledger, openAgain } = fixture;
        const other = await openAgain();
        for (let index = 0; index < 30; index += 1) {
          await ledger.settle(await claimed(ledger, { key: `done-${index}` }), done(index));
        }
        await elapse(fixture, retentionMs);
        await Promise.all([ledger.sweep({ batchSize: 3 }), other.sweep({ batchSize: 3 })]);
        await ledger.sweep();
        assert.deepEqual((await ledger.list()).entries, []);
        await other.close();
      }),
    );
  });

  describe('lists', () => {
    it(
      'shows an entry with all that is known of it',
      withLedger(open, async ({ ledger }) => {
        await ledger.claim(
          request({
            approval: 'approval-1',
            about: { ...request().about, tenant: 'north' },
          }),
        );
        await ledger.settle({ key: 'key-1', epoch: 1 }, done({ refundId: 'r-1' }));
        const entry = await ledger.find('key-1');
        assert.ok(entry !== undefined);
        const { leaseUntil, firstClaimedAt, claimedAt, settledAt, ...rest } = entry;
        assert.deepEqual(rest, {
          ...{ key: 'key-1', fingerprint: 'arguments-1', state: 'done', epoch: 1, reason: null },
          ...{ end: done({ refundId: 'r-1' }), approval: 'approval-1', namespace: 'default' },
          ...{ workflowId: 'ticket-1', runId: 'run-1', tool: 'refund_order' },
          ...{
            downstream: 'orders',
            tenant: 'north',
            settledBy: null,
            note: null,
            staleSettles: 0,
          },
        });
        assert.equal(claimedAt, firstClaimedAt);
        assert.equal(leaseUntil, claimedAt + 60_000);
        assert.ok(settledAt !== null && settledAt >= claimedAt);
        assert.deepEqual((await ledger.list()).entries, [entry]);
      }),
    );

    it(
      'shows those first that were claimed last, page by page, each once',
      withLedger(open, async (fixture) => {
        const { ledger } = fixture;
        for (let index = 0; index < 7; index += 1) {
          await claimed(ledger, { key: `key-${index}` });
          // two share each moment: the key then tells them apart
          if (index % 2 === 1) await elapse(fixture, 1_000);
        }
        await fixture.execute('update holdfast_effects set claimed_at = claimed_at / 1000 * 1000');
        const keys: string[] = [];
        let after: string | undefined;
        do {
          const page = await ledger.list({ limit: 3, after });
          keys.push(...keysOf(page.entries));
          after = page.next ?? undefined;
        } while (after !== undefined);
        assert.deepEqual(keys, keysOf((await ledger.list()).entries));
        assert.deepEqual(
          [...keys].sort(),
          Array.from({ length: 7 }, (_, index) => `key-${index}`),
        );
        assert.equal(keys[0], 'key-6');
      }),
    );

    it(
      'finds entries by state, workflow and tool',
      withLedger(open, async (fixture) => {
        const { ledger } = fixture;
        const about = request().about;
        await claimed(ledger, { key: 'lost' });
        await ledger.settle(await claimed(ledger, { key: 'unknown' }), unknown);
        await elapse(fixture, 60_000);
        await ledger.settle(await claimed(ledger, { key: 'done' }), done(1));
        await claimed(ledger, { key: 'living', about: { ...about, workflowId: 'ticket-2' } });
        await claimed(ledger, { key: 'reply', about: { ...about, tool: 'send_reply' } });
        const found = async (query: Parameters<typeof ledger.list>[0]) =>
          [...keysOf((await ledger.list(query)).entries)].sort();
        assert.deepEqual(await found({ state: 'unknown' }), ['lost', 'unknown']);
        assert.deepEqual(await found({ state: 'claimed' }), ['living', 'reply']);
        assert.deepEqual(await found({ state: 'done' }), ['done']);
        assert.deepEqual(await found({ workflowId: 'ticket-2' }), ['living']);
        assert.deepEqual(await found({ tool: 'send_reply', state: 'claimed' }), ['reply']);
        assert.deepEqual(await found({ state: 'refused' }), []);
      }),
    );
  });
}
