import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RecordedEnd, SettledEnd } from '../../src/ledger/ledger.js';
import { claimed, done, elapse, type OpenFixture, request, withLedger } from './ledger-fixture.js';

const refused: RecordedEnd = {
  kind: 'refused',
  failure: { class: 'invalid-request', message: 'the order is closed' },
};
const unknown: SettledEnd = { kind: 'unknown', reason: 'the connection was reset' };

/** What a claim is answered, state by state. */
export function describeClaims(open: OpenFixture): void {
  describe('claims', () => {
    it(
      'R3: gives a key that nobody has claimed to the first that asks',
      withLedger(open, async ({ ledger }) => {
        assert.deepEqual(await ledger.claim(request()), {
          kind: 'claimed',
          claim: { key: 'key-1', epoch: 1 },
          reclaimed: false,
        });
      }),
    );

    it(
      'R3: gives a key to one of many that ask at once',
      withLedger(open, async ({ ledger, openAgain }) => {
        const other = await openAgain();
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            [ledger, other][index % 2]?.claim(request({ owner: `owner-${index}` })),
          ),
        );
        const kinds = answers.map((answer) => answer?.kind).sort();
        assert.deepEqual(kinds, ['claimed', ...Array(19).fill('in-progress')]);
        await other.close();
      }),
    );

    it(
      'R3: gives the same claim again to the attempt that lost its first answer',
      withLedger(open, async (fixture) => {
        const first = await claimed(fixture.ledger, { owner: 'a' });
        await elapse(fixture, 30_000);
        const before = await fixture.ledger.find('key-1');
        assert.deepEqual(await claimed(fixture.ledger, { owner: 'a' }), first);
        const after = await fixture.ledger.find('key-1');
        assert.ok((after?.leaseUntil ?? 0) > (before?.leaseUntil ?? 0));
        assert.equal(after?.claimedAt, before?.claimedAt);
      }),
    );

    const ends: readonly (SettledEnd | undefined)[] = [undefined, done(1), refused, unknown];
    for (const end of ends) {
      const state = end?.kind ?? 'claimed';
      it(
        `R3: answers conflict to other arguments where the entry is ${state}`,
        withLedger(open, async ({ ledger }) => {
          const claim = await claimed(ledger);
          if (end !== undefined) await ledger.settle(claim, end);
          const answer = await ledger.claim(request({ fingerprint: 'arguments-2', owner: 'b' }));
          assert.deepEqual(answer, { kind: 'conflict' });
          assert.equal((await ledger.find('key-1'))?.fingerprint, 'arguments-1');
        }),
      );
    }

    const identity = { ownIdentity: true, fingerprint: 'arguments-2', owner: 'b' };
    for (const end of [done({ refundId: 'r-1' }), refused]) {
      it(
        `R3: replays ${end.kind} for other arguments where the tool declares its identity, and says so`,
        withLedger(open, async ({ ledger }) => {
          await ledger.settle(await claimed(ledger), end);
          const answer = await ledger.claim(request(identity));
          assert.deepEqual(answer, { kind: 'replayed', end, argumentsDiffer: true });
        }),
      );
    }

    it(
      'R3: never sends other arguments in the place of an effect that nobody knows of',
      withLedger(open, async ({ ledger }) => {
        await ledger.settle(await claimed(ledger), unknown);
        assert.equal((await ledger.claim(request(identity))).kind, 'unknown');
      }),
    );

    it(
      'R4: answers in-progress, with the wait that is left, while another attempt lives',
      withLedger(open, async (fixture) => {
        await claimed(fixture.ledger);
        await elapse(fixture, 20_000);
        const answer = await fixture.ledger.claim(request({ owner: 'b' }));
        assert.ok(answer.kind === 'in-progress');
        assert.ok(answer.waitMs >= 1 && answer.waitMs <= 40_000, String(answer.waitMs));
      }),
    );

    for (const end of [done({ refundId: 'r-1' }), done(null), done(undefined), refused]) {
      const shown = JSON.stringify(end);
      it(
        `R5: replays what is finished: ${shown}`,
        withLedger(open, async ({ ledger, openAgain }) => {
          await ledger.settle(await claimed(ledger), end);
          const other = await openAgain();
          const answer = await other.claim(request({ owner: 'b', onUnknown: 'report' }));
          assert.ok(answer.kind === 'replayed');
          assert.equal(answer.argumentsDiffer, false);
          assert.equal(JSON.stringify(answer.end), shown);
          await other.close();
        }),
      );
    }

    it(
      'R5: replays an effect that happened without a result that could be kept',
      withLedger(open, async ({ ledger }) => {
        const failure = { class: 'validation', message: 'the answer was 3 MB' } as const;
        const end: RecordedEnd = { kind: 'done', effect: { kind: 'no-result', failure } };
        await ledger.settle(await claimed(ledger), end);
        const answer = await ledger.claim(request({ owner: 'b' }));
        assert.deepEqual(answer, { kind: 'replayed', end, argumentsDiffer: false });
      }),
    );

    it(
      'R6: gives a released key anew, with its own arguments and a higher epoch',
      withLedger(open, async ({ ledger }) => {
        await ledger.settle(await claimed(ledger), { kind: 'released' });
        const answer = await ledger.claim(request({ owner: 'b', fingerprint: 'arguments-2' }));
        assert.deepEqual(answer, {
          kind: 'claimed',
          claim: { key: 'key-1', epoch: 2 },
          reclaimed: false,
        });
        const entry = await ledger.find('key-1');
        assert.equal(entry?.fingerprint, 'arguments-2');
        assert.equal(entry?.settledAt, null);
      }),
    );

    it(
      'R7: gives an unknown effect to the next attempt where it may be resent, without waiting for the lease',
      withLedger(open, async ({ ledger }) => {
        await ledger.settle(await claimed(ledger), unknown);
        assert.deepEqual(await ledger.claim(request({ owner: 'b' })), {
          kind: 'claimed',
          claim: { key: 'key-1', epoch: 2 },
          reclaimed: true,
        });
        const again = await ledger.claim(request({ owner: 'b' }));
        assert.ok(again.kind === 'claimed' && again.reclaimed, 'asking again loses the mark');
      }),
    );

    it(
      'R7: answers unknown, why, and how long its attempt may still run, where it must not be resent',
      withLedger(open, async (fixture) => {
        const { ledger } = fixture;
        await ledger.settle(await claimed(ledger), unknown);
        await elapse(fixture, 20_000);
        const answer = await ledger.claim(request({ owner: 'b', onUnknown: 'report' }));
        assert.ok(answer.kind === 'unknown');
        assert.equal(answer.epoch, 1);
        assert.equal(answer.reason, 'the connection was reset');
        assert.ok(answer.leaseLeftMs > 0 && answer.leaseLeftMs <= 40_000);
      }),
    );

    it(
      'R7: takes a claim whose lease has run out for unknown',
      withLedger(open, async (fixture) => {
        const { ledger } = fixture;
        await claimed(ledger);
        await elapse(fixture, 60_000);
        const reason = "the attempt's lease ran out";
        assert.deepEqual(await ledger.claim(request({ owner: 'b', onUnknown: 'report' })), {
          ...{ kind: 'unknown', epoch: 1, reason, leaseLeftMs: 0 },
        });
        const entry = await ledger.find('key-1');
        assert.deepEqual([entry?.state, entry?.reason], ['unknown', reason]);
        const resent = await ledger.claim(request({ owner: 'b' }));
        assert.ok(resent.kind === 'claimed' && resent.reclaimed);
        assert.equal(resent.claim.epoch, 2);
      }),
    );

    it(
      'R9: never resends after the key window, counted from the first claim',
      withLedger(open, async (fixture) => {
        const { ledger } = fixture;
        const keyWindowMs = 100_000;
        await ledger.settle(await claimed(ledger), unknown);
        await elapse(fixture, 90_000);
        const second = await claimed(ledger, { owner: 'b', keyWindowMs });
        await ledger.settle(second, unknown);
        await elapse(fixture, 10_000);
        const answer = await ledger.claim(request({ owner: 'c', keyWindowMs }));
        assert.equal(answer.kind, 'unknown');
      }),
    );

    it(
      'R9: starts the key window anew where the effect had been released',
      withLedger(open, async (fixture) => {
        const { ledger } = fixture;
        const keyWindowMs = 100_000;
        await ledger.settle(await claimed(ledger), { kind: 'released' });
        await elapse(fixture, 200_000);
        await ledger.settle(await claimed(ledger, { owner: 'b' }), unknown);
        const answer = await ledger.claim(request({ owner: 'c', keyWindowMs }));
        assert.equal(answer.kind, 'claimed');
      }),
    );
  });
}
