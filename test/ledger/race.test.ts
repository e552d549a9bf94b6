import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assertOneEffectEach, type RaceTarget } from '../support/ledger-race.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';

let folder: string;
let server: PostgresServer;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-race-'));
  server = await startPostgres();
});
after(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

const fiveMinutesMs = 300_000;
const targets: Readonly<Record<string, (name: string) => Promise<RaceTarget>>> = {
  SQLite: async (name) => ({ store: 'sqlite', at: join(folder, `${name}.db`) }),
  PostgreSQL: async () => ({ store: 'postgres', at: await server.createDatabase() }),
};

describe('two processes that ask for one key at the same moment', () => {
  for (const [name, target] of Object.entries(targets)) {
    it(`R3: cause one effect each time, 1,000 times (${name})`, async () => {
      await assertOneEffectEach(await target('even'), 0);
    });

    it(`R8: cause one effect each time where one clock is 5 minutes ahead (${name})`, async () => {
      await assertOneEffectEach(await target('ahead'), fiveMinutesMs);
    });
  }
});
