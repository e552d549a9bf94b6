import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Ledger } from '../../src/ledger/ledger.js';
import { claimed, done, elapse, type OpenFixture, request, withLedger } from './ledger-fixture.js';

const cycle: { self?: unknown } = {};
cycle.self = cycle;

/** What is refused, and what happens where the store gives no answer. */
export function describeInput(open: OpenFixture): void {
  describe('bad input', () => {
    const faulty = [
      { field: 'key', changes: { key: 'k'.repeat(256) } },
      { field: 'key', changes: { key: '' } },
      { field: 'key', changes: { key: 'a\0b' } },
      { field: 'fingerprint', changes: { fingerprint: '' } },
      { field: 'owner', changes: { owner: '' } },
      { field: 'leaseMs', changes: { leaseMs: 0 } },
      { field: 'leaseMs', changes: { leaseMs: Number.NaN } },
      { field: 'leaseMs', changes: { leaseMs: 1.5 } },
      { field: 'keyWindowMs', changes: { keyWindowMs: -1 } },
      { field: 'approval', changes: { approval: '' } },
      { field: 'approval', changes: { approval: 'a'.repeat(601) } },
    ] as const;
    it(
      'is refused before a claim is written, with the field that is wrong',
      withLedger(open, async ({ ledger }) => {
        for (const { field, changes } of faulty) {
          const error = { kind: 'invalid-request', field };
          await assert.rejects(ledger.claim(request(changes)), error, JSON.stringify(changes));
        }
        assert.deepEqual((await ledger.list()).entries, []);
      }),
    );

    it(
      'takes a key of 255 characters, whatever they are',
      withLedger(open, async ({ ledger }) => {
        const key = 'ä'.repeat(253).concat("'\n");
        await claimed(ledger, { key });
        assert.equal((await ledger.find(key))?.key, key);
      }),
    );

    const results = [1n, Number.NaN, { rate: Infinity }, cycle, [undefined], () => 1, new Map()];
    for (const result of results) {
      const name = typeof result === 'object' ? result.constructor.name : String(result);
      it(
        `refuses a result that JSON can't carry and leaves the claim as it is: ${name} ${results.indexOf(result)}`,
        withLedger(open, async ({ ledger }) => {
          const claim = await claimed(ledger);
          const before = await ledger.find('key-1');
          await assert.rejects(ledger.settle(claim, done(result)), { kind: 'invalid-request' });
          const end = { kind: 'done', result } as const;
          await assert.rejects(ledger.resolve('key-1', { end, by: 'dana', note: '' }), {
            kind: 'invalid-request',
          });
          assert.deepEqual(await ledger.find('key-1'), before);
        }),
      );
    }

    it(
      'keeps any text that JSON can carry',
      withLedger(open, async ({ ledger }) => {
        const value = { text: 'a\0b', half: '\ud800', more: ['', '"', '☂', null, 1e-7], empty: {} };
        await ledger.settle(await claimed(ledger), done(value));
        assert.deepEqual((await ledger.find('key-1'))?.end, done(value));
      }),
    );

    it(
      'keeps a reason, a name and a note with characters that a database refuses',
      withLedger(open, async ({ ledger }) => {
        const about = { ...request().about, workflowId: 'ticket\0one' };
        const claim = await claimed(ledger, { about });
        await ledger.settle(claim, { kind: 'unknown', reason: 'answer\0cut' });
        assert.equal((await ledger.find('key-1'))?.reason, 'answer\uFFFDcut');
        await ledger.resolve('key-1', { end: { kind: 'not-done' }, by: 'da\0na', note: '\0' });
        assert.equal((await ledger.find('key-1'))?.settledBy, 'da\uFFFDna');
      }),
    );

    it(
      'is refused where it is a lease, a batch, a page or a name',
      withLedger(open, async ({ ledger }) => {
        const claim = await claimed(ledger);
        const nobody = { end: { kind: 'not-done' }, by: ' ', note: '' } as const;
        const state = 'lost' as 'unknown'; // what a command line may hand in
        const refusals: readonly (readonly [string, Promise<unknown>])[] = [
          ['leaseMs', ledger.renew(claim, 0)],
          ['batchSize', ledger.sweep({ batchSize: 0 })],
          ['by', ledger.resolve('key-1', nobody)],
          ['limit', ledger.list({ limit: 0 })],
          ['state', ledger.list({ state })],
          ['after', ledger.list({ after: 'x' })],
          ['after', ledger.list({ after: Buffer.from('[1]').toString('base64url') })],
        ];
        for (const [field, asked] of refusals) {
          await assert.rejects(asked, { kind: 'invalid-request', field });
        }
      }),
    );
  });

  describe('a store without an answer', () => {
    const operations: Readonly<Record<string, (ledger: Ledger) => Promise<unknown>>> = {
      claim: (ledger) => ledger.claim(request({ owner: 'b' })),
      settle: (ledger) => ledger.settle({ key: 'key-1', epoch: 1 }, done(1)),
      renew: (ledger) => ledger.renew({ key: 'key-1', epoch: 1 }, 1_000),
      resolve: (ledger) =>
        ledger.resolve('key-1', { end: { kind: 'not-done' }, by: 'dana', note: '' }),
      find: (ledger) => ledger.find('key-1'),
      list: (ledger) => ledger.list(),
      sweep: (ledger) => ledger.sweep(),
    };
    for (const [operation, ask] of Object.entries(operations)) {
      it(
        `R11: is told by the error of ${operation}, and nothing is counted`,
        withLedger(open, async (fixture) => {
          await fixture.breakStore();
          const error = { kind: 'ledger-unavailable', operation };
          await assert.rejects(ask(fixture.ledger), error);
          assert.equal(
            Object.values(fixture.ledger.counts()).every((count) => count === 0),
            true,
          );
        }),
      );
    }

    it(
      'may be closed twice, and answers nothing afterwards',
      withLedger(open, async ({ ledger }) => {
        await Promise.all([ledger.close(), ledger.close()]);
        await ledger.close();
        await assert.rejects(ledger.claim(request()), { kind: 'ledger-unavailable' });
      }),
    );
  });

  describe('a schema', () => {
    it(
      'keeps its entries when it is opened again',
      withLedger(open, async (fixture) => {
        await claimed(fixture.ledger);
        const again = await fixture.openAgain();
        assert.equal((await again.find('key-1'))?.epoch, 1);
        await again.close();
      }),
    );

    it(
      'of a newer version is refused with the version found and the one supported, and is left alone',
      withLedger(open, async (fixture) => {
        await claimed(fixture.ledger);
        await elapse(fixture, 1);
        await fixture.execute(
          "insert into holdfast_migrations (name, timestamp) values ('9999-later', '2030-01-01')",
        );
        const migrations = 'select * from holdfast_migrations order by name';
        const before = await fixture.execute(migrations);
        await assert.rejects(fixture.openAgain(), (error: Error) => {
          assert.equal('kind' in error && error.kind, 'ledger-unusable');
          assert.match(error.message, /9999-later/);
          assert.match(error.message, /0001-effects/);
          return true;
        });
        assert.deepEqual(await fixture.execute(migrations), before);
      }),
    );
  });
}
