import { setTimeout } from 'node:timers/promises';
import { createRetryBudget } from '../../limits/create-retry-budget.js';
import { openPostgresFleetStore } from '../../limits/postgres-fleet-store.js';
import type { RetryBudget } from '../../limits/retry-budget.js';
import { type RetryRule, runClients } from './fleet-clients.js';
import type { ClientsOrder, ClientsSeen, SeenBySide } from './fleet-load.js';
import { seededRandom } from './seeded-random.js';

/**
 * Clients in a process of its own, each with a retry budget of its own: `node fleet-process.js <ClientsOrder as
 * JSON>`. Half of them share a window through PostgreSQL and half are alone, side by side. Sends 'ready', begins on
 * any message, sends what the downstreams saw, and ends with its parent.
 */
// fleet-load.ts alone starts this program, and writes nothing else
const order = JSON.parse(process.argv[2] ?? '') as ClientsOrder;
const key = { downstream: 'orders', ratio: { percent: 10, windowMs: 10_000, minSamples: 100 } };
process.on('disconnect', () => process.exit(0));

const store = await openPostgresFleetStore({ connectionString: order.connectionString });
let fallbacks = 0;
const onFallback = (): void => {
  fallbacks += 1;
};
// the clients of a process share its connections: a budget's own close would close them for all
const shared = { ...store, close: async () => {} };

process.once('message', () => {
  void runBoth() // its end is the message
    .then((seen) => process.send?.(seen))
    .finally(() => store.close());
});
process.send?.('ready');

async function runBoth(): Promise<SeenBySide> {
  const [fleet, alone] = await Promise.all([
    run(() => createRetryBudget({ store: shared, onFallback }), order.seed),
    run(() => createRetryBudget(), order.seed + 1_000),
  ]);
  return { fleet, alone, fallbacks };
}

async function run(budgetOf: () => RetryBudget, seed: number): Promise<ClientsSeen> {
  const seen = { calls: [] as number[], attempts: [] as number[] };
  await runClients({
    rules: Array.from({ length: order.clients }, () => ruleOf(budgetOf())),
    callsPerSecond: order.callsPerSecond,
    failureShare: 0.5,
    untilMs: Date.now() + order.seconds * 1_000,
    retriesOfCall: 3,
    backoffMs: 200,
    beginsAtOnce: false,
    clock: { now: Date.now, sleep: (delayMs) => setTimeout(delayMs) },
    random: seededRandom(seed),
    onCall: () => seen.calls.push(Date.now()),
    onAttempt: () => seen.attempts.push(Date.now()),
  });
  return seen;
}

function ruleOf(budget: RetryBudget): RetryRule {
  return {
    attemptSent: () => void budget.callSent(key), // nothing is cancelled here
    mayRetry: async (dueInMs) => (await budget.decide(key, { dueInMs })).allowed,
  };
}
