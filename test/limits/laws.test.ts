import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { LimiterFixture } from '../support/limiter-fixture.js';
import { heldPostgresFixture, memoryFixture } from '../support/limiter-fixtures.js';
import {
  arbitraryAsks,
  arbitraryFigures,
  arbitraryProgram,
  runProgram,
} from '../support/limiter-program.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';

let server: PostgresServer;
let stored: LimiterFixture;
let tenants = 0;
before(async () => {
  server = await startPostgres();
  // a slow machine's own time would count as if callers had waited
  stored = await heldPostgresFixture(await server.createDatabase());
});
after(async () => {
  await stored.dispose();
  await server.stop();
});

function nextTenant(): string {
  tenants += 1;
  return `tenant-${tenants}`;
}

describe('whatever callers do', () => {
  it('no minute holds more than the limit in memory, and none is closer than the pace', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryFigures, arbitraryProgram, async (figures, program) => {
        await runProgram(memoryFixture(), { figures, program, tenant: 'one' });
      }),
      { numRuns: 1_000 },
    );
  });

  it('no minute holds more than the limit in PostgreSQL, and none is closer than the pace', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryFigures, arbitraryProgram, async (figures, program) => {
        await runProgram(stored, { figures, program, tenant: nextTenant() });
      }),
      { numRuns: 40 },
    );
  });

  it('both stores answer alike and tell the same waits, as long as what was reserved is used', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryFigures, arbitraryAsks, async (figures, program) => {
        const run = { figures, program, tenant: nextTenant() };
        assert.deepEqual(await runProgram(stored, run), await runProgram(memoryFixture(), run));
      }),
      { numRuns: 40 },
    );
  });
});
