import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SettledEnd } from '../../src/ledger/ledger.js';
import { claimed, done, elapse, type OpenFixture, request, withLedger } from './ledger-fixture.js';

const unknown: SettledEnd = { kind: 'unknown', reason: 'timeout' };

/** Who may write an end, and for how long a claim is held. */
export function describeSettles(open: OpenFixture): void {
  describe('settles', () => {
    it(
      'R8: refuses the end of an attempt whose claim another has taken over, and records it',
      withLedger(open, async (fixture) => {
        const { ledger } = fixture;
        const old = await claimed(ledger);
        await elapse(fixture, 60_000);
        const current = await claimed(ledger, { owner: 'b' });
        assert.equal(await ledger.settle(old, done('old')), 'stale');
        assert.equal(await ledger.settle(old, { kind: 'released' }), 'stale');
        const entry = await ledger.find('key-1');
        assert.deepEqual([entry?.state, entry?.staleSettles], ['claimed', 2]);
        assert.equal(await ledger.settle(current, done('new')), 'settled');
        assert.deepEqual((await ledger.find('key-1'))?.end, done('new'));
      }),
    );

    it(
      'R8: takes a late end where nobody has taken over',
      withLedger(open, async (fixture) => {
        const { ledger } = fixture;
        const claim = await claimed(ledger);
        await elapse(fixture, 120_000);
        assert.equal(await ledger.settle(claim, done(1)), 'settled');
        assert.equal((await ledger.find('key-1'))?.state, 'done');
      }),
    );

    for (const end of [done(1), { kind: 'released' }] as const) {
      it(
        `R7: takes ${end.kind} for an unknown effect of the same claim: a probe has learned it`,
        withLedger(open, async ({ ledger }) => {
          const claim = await claimed(ledger);
          await ledger.settle(claim, unknown);
          assert.equal(await ledger.settle(claim, end), 'settled');
          const entry = await ledger.find('key-1');
          assert.deepEqual([entry?.state, entry?.reason], [end.kind, null]);
        }),
      );
    }

    const ends: readonly SettledEnd[] = [
      done({ a: 1 }),
      { kind: 'refused', failure: { class: 'invalid-request', message: 'no' } },
      { kind: 'released' },
      unknown,
    ];
    for (const end of ends) {
      it(
        `takes the end ${end.kind} a second time from the same claim`,
        withLedger(open, async ({ ledger }) => {
          const claim = await claimed(ledger);
          assert.equal(await ledger.settle(claim, end), 'settled');
          assert.equal(await ledger.settle(claim, end), 'settled');
          assert.equal((await ledger.find('key-1'))?.staleSettles, 0);
        }),
      );
    }

    it(
      'refuses a second end that differs from the first',
      withLedger(open, async ({ ledger }) => {
        const claim = await claimed(ledger);
        await ledger.settle(claim, done(1));
        for (const end of [done(2), { kind: 'released' }, unknown] as const) {
          assert.equal(await ledger.settle(claim, end), 'stale');
        }
        assert.deepEqual((await ledger.find('key-1'))?.end, done(1));
      }),
    );

    it(
      'takes no end for a key that has no entry',
      withLedger(open, async ({ ledger }) => {
        assert.equal(await ledger.settle({ key: 'gone', epoch: 1 }, done(1)), 'stale');
        assert.equal(await ledger.find('gone'), undefined);
      }),
    );

    it(
      'R8: keeps the lease of an attempt that ended unknown, since it may still run',
      withLedger(open, async ({ ledger }) => {
        const claim = await claimed(ledger);
        const before = await ledger.find('key-1');
        await ledger.settle(claim, unknown);
        const after = await ledger.find('key-1');
        assert.equal(after?.leaseUntil, before?.leaseUntil);
        assert.equal(after?.settledAt, null);
      }),
    );

    it(
      'R8: lengthens a lease and never shortens it',
      withLedger(open, async ({ ledger }) => {
        const claim = await claimed(ledger);
        const first = (await ledger.find('key-1'))?.leaseUntil ?? 0;
        assert.equal(await ledger.renew(claim, 1_000), true);
        assert.equal((await ledger.find('key-1'))?.leaseUntil, first);
        assert.equal(await ledger.renew(claim, 600_000), true);
        assert.ok(((await ledger.find('key-1'))?.leaseUntil ?? 0) >= first + 500_000);
      }),
    );

    it(
      'R8: keeps a lease of which the next attempt is told',
      withLedger(open, async (fixture) => {
        const { ledger } = fixture;
        const claim = await claimed(ledger);
        await elapse(fixture, 59_000);
        await ledger.renew(claim, 60_000);
        await elapse(fixture, 59_000);
        assert.equal((await ledger.claim(request({ owner: 'b' }))).kind, 'in-progress');
      }),
    );

    it(
      'R8: renews nothing for an attempt whose claim another has taken over',
      withLedger(open, async (fixture) => {
        const { ledger } = fixture;
        const old = await claimed(ledger);
        await elapse(fixture, 60_000);
        await claimed(ledger, { owner: 'b', leaseMs: 1_000 });
        const before = await ledger.find('key-1');
        assert.equal(await ledger.renew(old, 600_000), false);
        assert.equal((await ledger.find('key-1'))?.leaseUntil, before?.leaseUntil);
        assert.equal(await ledger.renew({ key: 'gone', epoch: 1 }, 1_000), false);
      }),
    );

    it(
      'R8: keeps epochs growing through releases',
      withLedger(open, async ({ ledger }) => {
        const epochs: number[] = [];
        for (const owner of ['a', 'b', 'c']) {
          const claim = await claimed(ledger, { owner });
          epochs.push(claim.epoch);
          await ledger.settle(claim, { kind: 'released' });
        }
        assert.deepEqual(epochs, [1, 2, 3]);
      }),
    );

    it(
      'R14: counts what this process has asked, and nothing of another one',
      withLedger(open, async (fixture) => {
        const { ledger, openAgain } = fixture;
        const other = await openAgain();
        const old = await claimed(ledger); // claimed
        await ledger.claim(request({ owner: 'b' })); // in progress
        await ledger.claim(request({ owner: 'b', fingerprint: 'other' })); // conflict
        await elapse(fixture, 60_000);
        await ledger.claim(request({ owner: 'b', onUnknown: 'report' })); // unknown
        const current = await claimed(ledger, { owner: 'b' }); // claimed, reclaimed
        await ledger.settle(old, done(1)); // stale
        await ledger.settle(current, done(1));
        await ledger.claim(request({ owner: 'c' })); // replayed
        assert.deepEqual(ledger.counts(), {
          claimed: 2,
          replayed: 1,
          inProgress: 1,
          conflict: 1,
          unknown: 1,
          reclaimed: 1,
          staleSettle: 1,
        });
        assert.equal(
          Object.values(other.counts()).every((count) => count === 0),
          true,
        );
        await other.close();
      }),
    );
  });
}
