import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { Client } from 'pg';
import { fleetCheck } from '../../src/cli/doctor/store-checks.js';
import { freePort } from '../../src/lab/free-port.js';
import { openSqlite } from '../../src/ledger/index.js';
import { openFleetStore, openLimiter } from '../../src/limits/index.js';
import { type HoldfastEnd, runHoldfast } from '../support/holdfast-command.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { runModule } from '../support/run-module.js';
import { settleEffect, unknownEnd } from './fixture/effects.js';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-cli-'));
});
after(() => rm(folder, { recursive: true, force: true }));

const list = (address: string): Promise<HoldfastEnd> =>
  runHoldfast(['ledger', 'list', '--json', '--ledger', address]);

/** The error's kind and message. */
async function refusal(ended: HoldfastEnd, code: number): Promise<readonly [string, string]> {
  assert.deepEqual([ended.code, ended.stdout], [code, ''], ended.stderr);
  const { error } = JSON.parse(ended.stderr) as { readonly error: Record<string, string> };
  return [error.kind ?? '', error.message ?? ''];
}

async function newLedger(name: string): Promise<string> {
  const path = join(folder, name);
  const ledger = await openSqlite({ path });
  await settleEffect(ledger, 'a', unknownEnd);
  await ledger.close();
  return path;
}

describe('the ledger of a command', () => {
  it('is the one of --ledger before the one of HOLDFAST_LEDGER, with or without sqlite:', async () => {
    const path = await newLedger('chosen.db');
    const nowhere = { env: { HOLDFAST_LEDGER: join(folder, 'nowhere.db') } };
    for (const address of [path, `sqlite:${path}`]) {
      const ended = await runHoldfast(['ledger', 'list', '--ledger', address], nowhere);
      assert.equal(ended.code, 0, ended.stderr);
    }
    const ended = await runHoldfast(['ledger', 'list'], { env: { HOLDFAST_LEDGER: path } });
    assert.equal(ended.code, 0, ended.stderr);
  });

  it('has to be named', async () => {
    const [kind, message] = await refusal(await runHoldfast(['ledger', 'list', '--json']), 2);
    assert.equal(kind, 'usage');
    assert.match(message, /^No ledger is named: give --ledger <address>, or set HOLDFAST_LEDGER/);
  });

  it('is of a kind that there is', async () => {
    const [kind, message] = await refusal(await list('mysql://db/effects'), 2);
    assert.equal(kind, 'usage');
    assert.match(message, /^The address of --ledger must be postgres:/);
  });

  it('is no new file made by a typo', async () => {
    const [kind, message] = await refusal(await list(join(folder, 'efects.db')), 3);
    assert.equal(kind, 'ledger-missing');
    assert.match(
      message,
      /^There is no ledger at .*efects\.db: name the file that the workers use/,
    );
    assert.equal((await readdir(folder)).includes('efects.db'), false);
  });

  it("is no other program's database, which stays as it is", async () => {
    const path = join(folder, 'notes.db');
    const other = new Database(path);
    other.exec('create table notes (text)');
    other.close();
    const bytes = await readFile(path);
    const [kind, message] = await refusal(await list(path), 3);
    assert.equal(kind, 'ledger-unusable');
    assert.match(message, /holds no ledger/);
    assert.deepEqual(await readFile(path), bytes);
  });

  it('is a database', async () => {
    const path = join(folder, 'text.db');
    await writeFile(path, 'The quick brown fox. '.repeat(100));
    assert.equal((await refusal(await list(path), 3))[0], 'ledger-unusable');
  });

  it('is of no newer schema', async () => {
    const path = await newLedger('newer.db');
    const file = new Database(path);
    file.exec("insert into holdfast_migrations values ('9999-later', '2030-01-01')");
    file.close();
    const [kind, message] = await refusal(await list(path), 3);
    assert.equal(kind, 'ledger-unusable');
    assert.match(message, /schema 9999-later/);
  });

  it('is one that this process may write', async () => {
    await chmod(folder, 0o755);
    await mkdir(join(folder, 'read-only'));
    const path = await newLedger('read-only/effects.db');
    await chmod(path, 0o444);
    await chmod(join(folder, 'read-only'), 0o555);
    const args = ['ledger', 'list', '--json', '--ledger', path];
    const running = runModule('test/cli/fixture/without-rights.js', { args });
    assert.equal(await running.ended, 3);
    await chmod(join(folder, 'read-only'), 0o755);
    assert.ok(running.stderr().includes('"kind":"ledger-unusable"'), running.stderr());
    assert.ok(running.stderr().includes(path), running.stderr());
  });
});

describe('the PostgreSQL ledger of a command', () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.stop());

  it('has to be reachable', async () => {
    const [kind] = await refusal(
      await list(`postgres://app@127.0.0.1:${await freePort()}/effects`),
      3,
    );
    assert.equal(kind, 'ledger-unavailable');
  });

  it('has to let this user in, and says so without the password', async () => {
    const address = new URL(server.url);
    address.password = 'not-the-password';
    const [kind, message] = await refusal(await list(address.href), 3);
    assert.equal(kind, 'ledger-unusable');
    assert.match(message, /password authentication failed/);
    assert.equal(message.includes('not-the-password'), false);
  });

  it('has to be there', async () => {
    const [kind, message] = await refusal(
      await list(server.url.replace(/postgres$/, 'nowhere')),
      3,
    );
    assert.equal(kind, 'ledger-unusable');
    assert.match(message, /"nowhere" does not exist/);
  });

  it("is no other program's database, which stays as it is", async () => {
    const address = await server.createDatabase();
    const [kind, message] = await refusal(await list(address), 3);
    assert.equal(kind, 'ledger-unusable');
    assert.match(message, /holds no ledger/);
    const client = new Client({ connectionString: address });
    await client.connect();
    const { rowCount } = await client.query("select 1 from pg_tables where schemaname = 'public'");
    await client.end();
    assert.equal(rowCount, 0);
  });

  it('has an address that is a URL', async () => {
    const [kind, message] = await refusal(await list('postgres://app:secret@db:port/effects'), 2);
    assert.equal(kind, 'usage');
    assert.match(message, /must be a URL, as it begins like one of PostgreSQL/);
    assert.equal(message.includes('secret'), false);
  });

  it('is no address of a fleet for the doctor before workers have shared limits and retries there', async () => {
    const address = await server.createDatabase();
    const none = await fleetCheck(address);
    assert.deepEqual(
      [none.state, none.found],
      [
        'fault',
        "can't be used: The database holds no limiter: name the one that the workers use.; " +
          "The database holds no fleet's store: name the one that the workers use.",
      ],
    );
    await (await openLimiter(address)).close();
    const half = await fleetCheck(address);
    assert.equal(half.state, 'warning');
    assert.match(half.found, /holds no fleet's store/);
    await (await openFleetStore(address)).close();
    assert.equal((await fleetCheck(address)).state, 'ok');
  });
});
