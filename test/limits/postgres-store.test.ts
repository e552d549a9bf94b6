import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openPostgresLimiter } from '../../src/limits/index.js';
import { askerOf, minuteMs } from '../support/limiter-fixture.js';
import { elapse, postgresFixture } from '../support/limiter-fixtures.js';
import { assertNoMinuteAboveLimit } from '../support/limiter-race.js';
import { type PostgresServer, poolTo, startPostgres } from '../support/postgres.js';

let server: PostgresServer;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

describe('a limiter in PostgreSQL', () => {
  it('lets no minute hold more than the limit while four processes ask at once', async () => {
    const url = await server.createDatabase();
    const beside = poolTo(url, 1);
    await assertNoMinuteAboveLimit(url, beside);
    await beside.end();
  });

  it('knows tickets and what was spent in every process', async () => {
    const url = await server.createDatabase();
    const [one, other] = [await postgresFixture(url), await postgresFixture(url)];
    const figures = { requestsPerMinute: 1 };
    await askerOf(one, figures).admit();
    const { ticket, waitMs } = await askerOf(one, figures).later();
    await one.elapse(waitMs);
    await askerOf(other, figures).admit({ ticket });
    await Promise.all([one.dispose(), other.dispose()]);
  });

  it('moves the past along when the clock of the server is set back', async () => {
    const url = await server.createDatabase();
    const fixture = await postgresFixture(url);
    const { admit, later } = askerOf(fixture, { requestsPerMinute: 1 });
    await admit();
    await fixture.elapse(-3_600_000); // all that is stored is an hour ahead
    const { waitMs, ticket } = await later();
    assert.ok(waitMs > 1 && waitMs <= minuteMs, `${waitMs} ms`);
    await fixture.elapse(waitMs);
    await admit({ ticket });
    await fixture.dispose();
  });

  it('asks the database nothing where nothing is limited', async () => {
    const url = await server.createDatabase();
    const fixture = await postgresFixture(url);
    const beside = poolTo(url, 1);
    await beside.query('alter table holdfast_limit_keys rename to elsewhere');
    const reservation = await askerOf(fixture, {}).admit();
    await reservation.settle(5);
    await reservation.release();
    await assert.rejects(askerOf(fixture, { requestsPerMinute: 1 }).ask(), {
      kind: 'limiter-unavailable',
    });
    await fixture.dispose();
    await beside.end();
  });

  it('forgets keys that nobody has asked about for an hour, but no place that is kept', async () => {
    const url = await server.createDatabase();
    const fixture = await postgresFixture(url);
    const beside = poolTo(url, 1);
    const { admit, later } = askerOf(fixture, { requestsPerMinute: 1 });
    await admit({ tenant: 'gone' });
    await admit({ tenant: 'waiting' });
    await later({ tenant: 'waiting' });
    await elapse(beside, 3_600_000);
    await beside.query('update holdfast_limit_places set back_at = back_at + 7200000');
    await beside.query('select holdfast_limit_sweep(3600000)');
    const left = await beside.query<{ key: string }>('select key from holdfast_limit_keys');
    assert.deepEqual(
      left.rows.map(({ key }) => key),
      ['5:model:waiting'],
    );
    const spent = await beside.query('select from holdfast_limit_spent where key like $1', [
      '%gone%',
    ]);
    assert.equal(spent.rowCount, 0);
    await fixture.dispose();
    await beside.end();
  });

  it('leaves a pool that was handed in open', async () => {
    const pool = poolTo(await server.createDatabase(), 1);
    const limiter = await openPostgresLimiter({ pool });
    await limiter.close();
    assert.equal((await pool.query('select 1')).rowCount, 1);
    await pool.end();
  });

  it('says that it is unavailable while its server is down, and goes on after', async () => {
    const fixture = await postgresFixture(await server.createDatabase());
    const { ask, admit } = askerOf(fixture, { requestsPerMinute: 3 });
    const reservation = await admit();
    await server.kill();
    await assert.rejects(ask(), { kind: 'limiter-unavailable', operation: 'admit' });
    await assert.rejects(reservation.settle(1), {
      kind: 'limiter-unavailable',
      operation: 'settle',
    });
    await server.restart();
    await admit();
    await fixture.dispose();
  });
});
