import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FleetProcessMessage } from '../support/fleet-process-main.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { startToldProcess, type ToldProcess } from '../support/told-process.js';

let server: PostgresServer;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

type Worker = ToldProcess<FleetProcessMessage>;

async function allHeard(workers: readonly Worker[], kind: FleetProcessMessage['kind']) {
  await Promise.all(workers.map(({ heard }) => heard((message) => message.kind === kind)));
}

describe('four processes of a fleet that share a window through PostgreSQL', () => {
  it('retry a tenth of all their calls together, when each has too few to be held to it', async () => {
    const connectionString = await server.createDatabase();
    const workers = Array.from({ length: 4 }, () =>
      startToldProcess<FleetProcessMessage>('fleet-process-main.js', {
        ...{ connectionString, calls: 90, retries: 60 },
      }),
    );
    try {
      await allHeard(workers, 'ready');
      for (const worker of workers) worker.send('send');
      await allHeard(workers, 'sent');
      for (const worker of workers) worker.send('retry');
      await allHeard(workers, 'retried');
      const ends = workers.flatMap(({ told }) => told.filter((one) => one.kind === 'retried'));
      assert.deepEqual(
        ends.map(({ alone }) => alone),
        [0, 0, 0, 0],
      );
      assert.equal(
        ends.reduce((sum, { allowed }) => sum + allowed, 0),
        36,
      );
    } finally {
      await Promise.all(workers.map((worker) => worker.kill()));
    }
  });
});
