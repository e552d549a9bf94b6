import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRetryBudget } from '../../src/limits/create-retry-budget.js';
import { openPostgresFleetStore } from '../../src/limits/postgres-fleet-store.js';
import type { RatioKey, RetryBudget, RetryDecision } from '../../src/limits/retry-budget.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';

let server: PostgresServer;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

const ratio = { percent: 10, windowMs: 60_000, minSamples: 100 };
const orders: RatioKey = { downstream: 'orders', ratio };

describe("a fleet's retry budget whose PostgreSQL is stopped in mid-run", () => {
  it('goes on by itself, says so once, and tells the fleet when the server is back', async () => {
    const said: string[] = [];
    const connectionString = await server.createDatabase();
    const open = async () => openPostgresFleetStore({ connectionString });
    const budget = createRetryBudget({
      store: await open(),
      onFallback: ({ kind }) => said.push(kind),
      onRecovery: () => said.push('recovered'),
    });
    const other = createRetryBudget({ store: await open(), answerWithinMs: 30_000 });
    const sent = { calls: 0 };
    const send = (): void => {
      sent.calls += 1;
      budget.callSent(orders);
    };
    /** Sends calls and asks for a retry of each until somebody in particular has decided. */
    const decidedBy = async (by: RetryDecision['by']): Promise<void> => {
      for (;;) {
        send();
        const decision = await budget.decide(orders, { dueInMs: 0 });
        decision.refund();
        if (decision.by === by) return;
        await sleep(50);
      }
    };

    await decidedBy('fleet');
    await server.kill();
    await decidedBy('worker');
    for (let call = 0; call < 300; call++) send();
    const alone = await allowedOf(budget, 'worker');
    assert.equal(alone, Math.floor(sent.calls / 10));

    await server.restart();
    await decidedBy('fleet');
    assert.deepEqual(said, ['fleet-store-unavailable', 'recovered']);
    const together = alone + (await allowedOf(other, 'fleet'));
    assert.ok(together <= sent.calls / 10, `${together} retries of ${sent.calls} calls`);
    await other.close();
    await budget.close();
  });
});

/** Asks for 200 retries that are due in a while, and returns how many are allowed, all of them by the same. */
async function allowedOf(budget: RetryBudget, by: RetryDecision['by']): Promise<number> {
  const decisions = await Promise.all(
    Array.from({ length: 200 }, () => budget.decide(orders, { dueInMs: 60_000 })),
  );
  assert.ok(decisions.every((decision) => decision.by === by));
  return decisions.filter(({ allowed }) => allowed).length;
}
