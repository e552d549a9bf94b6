import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Resolution } from '../../src/ledger/ledger.js';
import { claimed, done, elapse, type OpenFixture, request, withLedger } from './ledger-fixture.js';

const happened: Resolution = {
  end: { kind: 'done', result: { refundId: 'r-1' } },
  by: 'dana',
  note: 'seen in the shop',
};
const notHappened: Resolution = { end: { kind: 'not-done' }, by: 'dana', note: 'not in the shop' };

/** What people decide: approvals, and effects of which nobody knew. */
export function describePeople(open: OpenFixture): void {
  describe('approvals', () => {
    it(
      'R13: lets the first claim of a key consume an approval, for no other key',
      withLedger(open, async ({ ledger }) => {
        await claimed(ledger, { approval: 'approval-1' });
        const second = { key: 'key-2', approval: 'approval-1' };
        assert.deepEqual(await ledger.claim(request(second)), { kind: 'approval-consumed' });
        assert.equal(await ledger.find('key-2'), undefined);
        assert.equal(
          (await ledger.claim(request({ key: 'key-2', approval: 'approval-2' }))).kind,
          'claimed',
        );
      }),
    );

    it(
      'R13: covers the retries of its call until they settle',
      withLedger(open, async ({ ledger }) => {
        const approval = 'approval-1';
        const first = await claimed(ledger, { approval });
        await ledger.settle(first, { kind: 'unknown', reason: 'timeout' });
        const second = await claimed(ledger, { approval, owner: 'b' });
        assert.equal((await ledger.find('key-1'))?.approval, approval);
        await ledger.settle(second, { kind: 'released' });
        const third = await claimed(ledger, { approval, owner: 'c' });
        await ledger.settle(third, done(1));
        assert.equal((await ledger.find('key-1'))?.approval, approval);
        const other = await ledger.claim(request({ key: 'key-2', approval }));
        assert.equal(other.kind, 'approval-consumed');
      }),
    );

    it(
      'R13: never says that an approval was consumed to the key that consumed it, however many ask at once',
      withLedger(open, async ({ ledger }) => {
        for (let round = 0; round < 300; round += 1) {
          const one = { key: `key-${round}`, approval: `approval-${round}` };
          const asked = Array.from({ length: 8 }, (_, index) =>
            ledger.claim(request({ ...one, owner: `owner-${index}` })),
          );
          const kinds = (await Promise.all(asked)).map(({ kind }) => kind).sort();
          assert.deepEqual(kinds, ['claimed', ...Array(7).fill('in-progress')]);
        }
      }),
    );

    it(
      'R13: takes another approval for a key that was released',
      withLedger(open, async ({ ledger }) => {
        await ledger.settle(await claimed(ledger, { approval: 'approval-1' }), {
          kind: 'released',
        });
        await claimed(ledger, { approval: 'approval-2', owner: 'b' });
        assert.equal((await ledger.find('key-1'))?.approval, 'approval-2');
      }),
    );

    it(
      'R13: refuses a consumed approval for a key that was released, and changes nothing',
      withLedger(open, async ({ ledger }) => {
        await claimed(ledger, { key: 'key-2', approval: 'approval-2' });
        await ledger.settle(await claimed(ledger, { approval: 'approval-1' }), {
          kind: 'released',
        });
        const answer = await ledger.claim(request({ approval: 'approval-2', owner: 'b' }));
        assert.deepEqual(answer, { kind: 'approval-consumed' });
        const entry = await ledger.find('key-1');
        assert.deepEqual([entry?.state, entry?.approval], ['released', 'approval-1']);
      }),
    );

    it(
      'R13: says how the key itself stands before it looks at an approval',
      withLedger(open, async ({ ledger }) => {
        await ledger.settle(await claimed(ledger), done(1));
        await claimed(ledger, { key: 'key-2', approval: 'approval-1' });
        const answer = await ledger.claim(request({ approval: 'approval-1', owner: 'b' }));
        assert.equal(answer.kind, 'replayed');
      }),
    );

    it(
      'R13: gives an approval to one of many keys that ask at once',
      withLedger(open, async ({ ledger, openAgain }) => {
        const other = await openAgain();
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            [ledger, other][index % 2]?.claim(request({ key: `key-${index}`, approval: 'one' })),
          ),
        );
        const kinds = answers.map((answer) => answer?.kind).sort();
        assert.deepEqual(kinds, [...Array(19).fill('approval-consumed'), 'claimed']);
        await other.close();
      }),
    );
  });

  describe('what a person knows', () => {
    it(
      'R7: settles an unknown effect as done, with its result and who said so',
      withLedger(open, async ({ ledger }) => {
        await ledger.settle(await claimed(ledger), { kind: 'unknown', reason: 'timeout' });
        assert.deepEqual(await ledger.resolve('key-1', happened), { kind: 'resolved' });
        const entry = await ledger.find('key-1');
        assert.deepEqual(
          [entry?.state, entry?.settledBy, entry?.note],
          ['done', 'dana', 'seen in the shop'],
        );
        const answer = await ledger.claim(request({ owner: 'b' }));
        assert.deepEqual(answer, {
          kind: 'replayed',
          end: done({ refundId: 'r-1' }),
          argumentsDiffer: false,
          settledBy: 'dana',
        });
      }),
    );

    it(
      'neither answers nor causes again what was undone, finished or unknown',
      withLedger(open, async ({ ledger }) => {
        await ledger.settle(await claimed(ledger), done('once'));
        await ledger.undo('key-1', 'cancel_refund');
        const answer = { kind: 'undone', by: 'cancel_refund' };
        assert.deepEqual(await ledger.claim(request({ owner: 'b' })), answer);
        const lost = await claimed(ledger, { key: 'key-2' });
        await ledger.settle(lost, { kind: 'unknown', reason: 'timeout' });
        await ledger.undo('key-2', 'cancel_refund');
        assert.deepEqual(await ledger.claim(request({ key: 'key-2', owner: 'b' })), answer);
        assert.equal(await ledger.settle(lost, done('late')), 'stale');
        assert.deepEqual(await ledger.resolve('key-2', notHappened), {
          kind: 'not-unknown',
          state: 'undone',
        });
      }),
    );

    it(
      'leaves what never happened as it is, though its undo was tried',
      withLedger(open, async ({ ledger }) => {
        await ledger.settle(await claimed(ledger), { kind: 'released' });
        await ledger.undo('key-1', 'cancel_refund');
        assert.equal((await ledger.claim(request({ owner: 'b' }))).kind, 'claimed');
        await ledger.undo('nobody-knows-it', 'cancel_refund');
      }),
    );

    it(
      'R7: lets an effect run that a person knows not to have happened, once its lease is over',
      withLedger(open, async (fixture) => {
        const { ledger } = fixture;
        await ledger.settle(await claimed(ledger), { kind: 'unknown', reason: 'timeout' });
        assert.deepEqual(await ledger.resolve('key-1', notHappened), { kind: 'resolved' });
        const early = await ledger.claim(request({ owner: 'b', onUnknown: 'report' }));
        assert.ok(early.kind === 'in-progress' && early.waitMs > 50_000);
        await elapse(fixture, 60_000);
        const answer = await ledger.claim(request({ owner: 'b', onUnknown: 'report' }));
        assert.ok(answer.kind === 'claimed' && !answer.reclaimed);
      }),
    );

    it(
      'R8: refuses what an attempt says after a person has decided',
      withLedger(open, async ({ ledger }) => {
        const claim = await claimed(ledger);
        await ledger.settle(claim, { kind: 'unknown', reason: 'timeout' });
        await ledger.resolve('key-1', notHappened);
        assert.equal(await ledger.settle(claim, done('late')), 'stale');
        assert.equal(await ledger.settle(claim, { kind: 'released' }), 'stale');
        assert.equal((await ledger.find('key-1'))?.state, 'released');
      }),
    );

    it(
      'R7: settles a claim whose lease has run out, and no living one',
      withLedger(open, async (fixture) => {
        const { ledger } = fixture;
        await claimed(ledger);
        const answer = await ledger.resolve('key-1', happened);
        assert.deepEqual(answer, { kind: 'not-unknown', state: 'claimed' });
        await elapse(fixture, 60_000);
        assert.deepEqual(await ledger.resolve('key-1', happened), { kind: 'resolved' });
      }),
    );

    it(
      'R8: settles the attempt that the person looked at, and no later one',
      withLedger(open, async (fixture) => {
        const { ledger } = fixture;
        const first = await claimed(ledger);
        await ledger.settle(first, { kind: 'unknown', reason: 'timeout' });
        await ledger.resolve('key-1', { ...notHappened, epoch: first.epoch });
        await elapse(fixture, 60_000);
        const second = await claimed(ledger, { owner: 'b' });
        await ledger.settle(second, { kind: 'unknown', reason: 'timeout' });
        const late = await ledger.resolve('key-1', { ...notHappened, epoch: first.epoch });
        assert.deepEqual(late, { kind: 'superseded' });
        assert.equal((await ledger.find('key-1'))?.state, 'unknown');
        const said = await ledger.resolve('key-1', { ...happened, epoch: second.epoch });
        assert.deepEqual(said, { kind: 'resolved' });
      }),
    );

    for (const end of [done(1), { kind: 'released' }] as const) {
      it(
        `R7: changes nothing where the entry is ${end.kind}`,
        withLedger(open, async ({ ledger }) => {
          await ledger.settle(await claimed(ledger), end);
          const before = await ledger.find('key-1');
          const answer = await ledger.resolve('key-1', happened);
          assert.deepEqual(answer, { kind: 'not-unknown', state: end.kind });
          assert.deepEqual(await ledger.find('key-1'), before);
        }),
      );
    }

    it(
      'answers missing for a key that has no entry',
      withLedger(open, async ({ ledger }) => {
        assert.deepEqual(await ledger.resolve('gone', happened), { kind: 'missing' });
      }),
    );
  });
}
