import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgres } from '../../src/ledger/index.js';
import { claimed, done, request } from '../support/ledger-fixture.js';
import { type PostgresServer, poolTo, startPostgres } from '../support/postgres.js';

let server: PostgresServer;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

describe('opening a PostgreSQL ledger', () => {
  const refusals: Readonly<Record<string, { to: (url: string) => string; says: RegExp }>> = {
    'a wrong password': {
      to: (url) => url.replace(/:[0-9a-f]+@/, ':wrong@'),
      says: /password authentication failed/,
    },
    'a missing database': { to: (url) => `${url}_missing`, says: /does not exist/ },
  };
  for (const [name, { to, says }] of Object.entries(refusals)) {
    it(`refuses ${name}, and says nothing of the password`, async () => {
      const connectionString = to(await server.createDatabase());
      await assert.rejects(openPostgres({ connectionString }), (error: Error) => {
        assert.equal('kind' in error && error.kind, 'ledger-unusable');
        assert.match(error.message, says);
        assert.ok(!error.message.includes(new URL(connectionString).password));
        return true;
      });
    });
  }

  it('refuses a user who may make no tables', async () => {
    const url = await server.createDatabase();
    const admin = poolTo(url);
    await admin.query("create role reader login password 'reader'");
    await admin.query('revoke create on schema public from public');
    await admin.end();
    const connectionString = url.replace(/holdfast:[0-9a-f]+@/, 'reader:reader@');
    await assert.rejects(openPostgres({ connectionString }), { kind: 'ledger-unusable' });
  });

  it('names each option that breaks its rule', async () => {
    const options = { retentionMs: 0, connectTimeoutMs: 0, statementTimeoutMs: 0.5 };
    await assert.rejects(openPostgres({ connectionString: 'postgres://x', ...options }), {
      kind: 'invalid-request',
      message: /retentionMs .*connectTimeoutMs .*statementTimeoutMs /,
    });
    await assert.rejects(openPostgres({ connectionString: '' }), { field: 'connectionString' });
  });

  it('fails where nothing listens, and where something listens that never answers', async () => {
    const { url, close } = await startSilence();
    const options = { connectionString: url, connectTimeoutMs: 200 };
    await assert.rejects(openPostgres(options), { kind: 'ledger-unavailable', operation: 'open' });
    const pool = poolTo(url);
    await assert.rejects(openPostgres({ pool, connectTimeoutMs: 200 }), {
      kind: 'ledger-unavailable',
    });
    close();
    await assert.rejects(openPostgres(options), { kind: 'ledger-unavailable', operation: 'open' });
  });

  it('keeps schemas of one database apart', async () => {
    const url = await server.createDatabase();
    const admin = poolTo(url);
    await admin.query('create schema north');
    await admin.end();
    const north = `${url}?options=${encodeURIComponent('-c search_path=north')}`;
    const ledgers = [
      await openPostgres({ connectionString: url }),
      await openPostgres({ connectionString: north }),
    ];
    for (const ledger of ledgers) assert.equal((await claimed(ledger)).epoch, 1);
    for (const ledger of ledgers) await ledger.close();
  });

  it('is safe for many that open a new database at the same moment', async () => {
    const connectionString = await server.createDatabase();
    const ledgers = await Promise.all(
      Array.from({ length: 8 }, () => openPostgres({ connectionString })),
    );
    for (const ledger of ledgers) await ledger.close();
  });

  it('leaves a pool open that was handed in', async () => {
    const pool = poolTo(await server.createDatabase());
    const ledger = await openPostgres({ pool });
    await claimed(ledger);
    await ledger.close();
    const { rows } = await pool.query('select key from holdfast_effects');
    assert.deepEqual(rows, [{ key: 'key-1' }]);
    await pool.end();
  });
});

describe('a PostgreSQL ledger in an outage', () => {
  it('recovers by itself when the server was killed and started again in mid-use', async () => {
    const ledger = await openPostgres({ connectionString: await server.createDatabase() });
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) => claimed(ledger, { key: `key-${index}` })),
    );
    const settling = claims.map((claim) => ledger.settle(claim, done(claim.key)));
    const killed = server.kill();
    const ends = await Promise.allSettled(settling);
    for (const end of ends) {
      if (end.status === 'rejected') assert.equal(end.reason.kind, 'ledger-unavailable');
    }
    await killed;
    await assert.rejects(ledger.claim(request()), { kind: 'ledger-unavailable' });

    await server.restart();
    for (const claim of claims) {
      assert.equal(await untilAnswered(() => ledger.settle(claim, done(claim.key))), 'settled');
      assert.deepEqual((await ledger.find(claim.key))?.end, done(claim.key));
    }
    await ledger.close();
  });

  const statementTimeoutMs = 200;
  const ways = ['of its own', 'that was handed in'] as const;
  for (const way of ways) {
    it(`gives up a statement that waits for too long, and goes on (with a pool ${way})`, async () => {
      const connectionString = await server.createDatabase();
      const pool = poolTo(connectionString);
      const ledger = await openPostgres({
        ...(way === 'of its own' ? { connectionString } : { pool }),
        statementTimeoutMs,
      });
      const claim = await claimed(ledger);
      const holder = await pool.connect();
      try {
        await holder.query('begin; select * from holdfast_effects for update');
        await assert.rejects(ledger.settle(claim, done(1)), { kind: 'ledger-unavailable' });
        await holder.query('rollback');
        assert.equal(await ledger.settle(claim, done(1)), 'settled');
      } finally {
        holder.release();
        await ledger.close();
        await pool.end();
      }
    });
  }
});

/** A server that takes connections and says nothing. */
async function startSilence() {
  const sockets = new Set<Socket>();
  const silence = createServer((socket) => sockets.add(socket.on('error', () => {})));
  silence.listen(0, '127.0.0.1');
  await once(silence, 'listening');
  const { port } = silence.address() as AddressInfo; // it listens on a port, not on a pipe
  return {
    url: `postgres://nobody:nothing@127.0.0.1:${port}/none`,
    close: () => {
      for (const socket of sockets) socket.destroy();
      silence.close();
    },
  };
}

/** Connections that the kill broke may fail once more each before the pool has dropped them. */
async function untilAnswered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (tries === 20) throw error;
      await sleep(50);
    }
  }
}
