import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { prepare } from '../../src/database/sqlite.js';
import { openSqlite } from '../../src/ledger/index.js';
import { ledgerSchema as store, type Tables } from '../../src/ledger/schema.js';
import { createSqlLedger } from '../../src/ledger/sql-ledger.js';
import { ledgerIn } from '../../src/ledger/sqlite.js';
import { claimed, done, request } from '../support/ledger-fixture.js';
import { startLedgerProcess } from '../support/ledger-process.js';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-opening-'));
});
after(() => rm(folder, { recursive: true }));

describe('opening an SQLite ledger', () => {
  it('writes through to the disk, in a log that readers do not wait for', async () => {
    const path = join(folder, 'modes.db');
    const file = new Database(path);
    const database = await prepare<Tables>(file, { store, busyTimeoutMs: 1_000 });
    assert.equal(file.pragma('journal_mode', { simple: true }), 'wal');
    assert.equal(file.pragma('synchronous', { simple: true }), 2); // FULL
    await database.close();
  });

  it('works in memory', async () => {
    const ledger = await openSqlite({ path: ':memory:' });
    await ledger.settle(await claimed(ledger), done(1));
    assert.equal((await ledger.claim(request({ owner: 'b' }))).kind, 'replayed');
    await ledger.close();
  });

  it('is safe for processes that open a new file at the same moment', async () => {
    const processes = Array.from({ length: 4 }, () => startLedgerProcess());
    try {
      for (let round = 0; round < 10; round += 1) {
        const at = join(folder, `together-${round}.db`);
        const told = await Promise.all(
          processes.map(({ tell }) => tell({ kind: 'open', store: 'sqlite', at })),
        );
        assert.deepEqual(told, Array(4).fill({ kind: 'opened', texts: [] }));
        await Promise.all(processes.map(({ tell }) => tell({ kind: 'close' })));
      }
    } finally {
      for (const { end } of processes) await end();
    }
  });

  it('names each option that breaks its rule', async () => {
    const options = { path: ' ', retentionMs: 0, busyTimeoutMs: -1 };
    await assert.rejects(openSqlite(options), (error: Error) => {
      assert.match(error.message, /path .*retentionMs .*busyTimeoutMs /);
      return true;
    });
  });

  const unusable: Readonly<Record<string, () => Promise<string>>> = {
    'in a folder that is missing': async () => join(folder, 'missing', 'ledger.db'),
    'that is a folder': async () => {
      await mkdir(join(folder, 'folder.db'));
      return join(folder, 'folder.db');
    },
    'that is no database': async () => {
      await writeFile(join(folder, 'text.db'), 'The quick brown fox. '.repeat(100));
      return join(folder, 'text.db');
    },
  };
  for (const [name, make] of Object.entries(unusable)) {
    it(`refuses a file ${name}, with its path`, async () => {
      const path = await make();
      await assert.rejects(openSqlite({ path }), (error: Error) => {
        assert.equal('kind' in error && error.kind, 'ledger-unusable');
        assert.ok(error.message.includes(path), error.message);
        return true;
      });
    });
  }

  it('leaves a file that is no database as it is', async () => {
    const path = join(folder, 'kept.db');
    const text = 'The quick brown fox. '.repeat(100);
    await writeFile(path, text);
    await assert.rejects(openSqlite({ path }), { kind: 'ledger-unusable' });
    assert.equal(await readFile(path, 'utf8'), text);
  });

  it('refuses a file that this process may only read', async () => {
    const readOnly = join(folder, 'read-only');
    await mkdir(readOnly);
    const path = join(readOnly, 'ledger.db');
    const ledger = await openSqlite({ path });
    await claimed(ledger);
    await ledger.close();
    const bytes = await readFile(path);
    await chmod(folder, 0o755);
    await chmod(path, 0o444);
    await chmod(readOnly, 0o555);
    const { tell, end } = startLedgerProcess();
    try {
      if (process.getuid?.() === 0) await tell({ kind: 'drop-rights' });
      const told = await tell({ kind: 'open', store: 'sqlite', at: path });
      assert.equal(told.kind, 'ledger-unusable', told.texts.join());
      assert.ok(told.texts[0]?.includes(path), told.texts.join());
      assert.deepEqual(await readFile(path), bytes);
    } finally {
      await end();
      await chmod(readOnly, 0o755);
    }
  });

  it('gives up where another process holds the file for longer than the busy timeout', async () => {
    const path = join(folder, 'held.db');
    const ledger = await openSqlite({ path, busyTimeoutMs: 100 });
    const holder = new Database(path);
    holder.exec('begin immediate');
    await assert.rejects(ledger.claim(request()), { kind: 'ledger-unavailable' });
    await assert.rejects(openSqlite({ path, busyTimeoutMs: 100 }), { kind: 'ledger-unavailable' });
    assert.equal(await ledger.find('key-1'), undefined);
    holder.exec('rollback');
    await claimed(ledger);
    holder.close();
    await ledger.close();
  });

  it('waits for another process that holds the file, and lets this one go on meanwhile', async () => {
    const path = join(folder, 'shared.db');
    const ledger = await openSqlite({ path });
    const holder = new Database(path);
    holder.exec('begin immediate');
    const asked = ledger.claim(request());
    // were the thread held by the wait, this timer would not get its turn before the claim fails
    setTimeout(() => holder.exec('rollback'), 200);
    assert.equal((await asked).kind, 'claimed');
    holder.close();
    await ledger.close();
  });
});

describe('an SQLite ledger on a full disk', () => {
  it('says so, writes nothing by halves, and goes on when there is room', async () => {
    const file = new Database(join(folder, 'full.db'));
    const ledger = createSqlLedger(
      ledgerIn(await prepare<Tables>(file, { store, busyTimeoutMs: 100 })),
      1_000_000,
    );
    const first = await claimed(ledger);
    const pages = Number(file.pragma('page_count', { simple: true }));
    file.pragma(`max_page_count = ${pages}`);
    const long = done('x'.repeat(100_000));
    await assert.rejects(ledger.settle(first, long), /could not settle: database or disk is full/);
    assert.equal((await ledger.find('key-1'))?.state, 'claimed');
    await assert.rejects(
      ledger.claim(request({ key: 'key-2', fingerprint: 'f'.repeat(100_000) })),
      { kind: 'ledger-unavailable' },
    );
    assert.equal(await ledger.find('key-2'), undefined);
    assert.equal(file.pragma('integrity_check', { simple: true }), 'ok');
    file.pragma('max_page_count = 100000');
    assert.equal(await ledger.settle(first, long), 'settled');
    await ledger.close();
  });

  it('leaves no half of a schema behind', async () => {
    const path = join(folder, 'small.db');
    const file = new Database(path);
    file.pragma('max_page_count = 6');
    await assert.rejects(prepare(file, { store, busyTimeoutMs: 100 }), /full/);
    const names = file.prepare('select name from sqlite_schema').pluck().all();
    assert.deepEqual(names, []);
    file.close();
    const ledger = await openSqlite({ path });
    await claimed(ledger);
    await ledger.close();
  });
});
