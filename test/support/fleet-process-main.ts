import { createRetryBudget } from '../../src/limits/create-retry-budget.js';
import { openPostgresFleetStore } from '../../src/limits/postgres-fleet-store.js';

/**
 * A worker of a fleet: `node fleet-process-main.js <FleetProcessOptions as JSON>`. Tells 'ready'; on 'send' it sends
 * its calls and tells when the fleet has heard of them; on 'retry' it asks for retries and tells how many it may
 * make. Ends with its parent.
 */
export type FleetProcessOptions = {
  readonly connectionString: string;
  readonly calls: number;
  readonly retries: number;
};

/** What a worker tells. */
export type FleetProcessMessage =
  | { readonly kind: 'ready' | 'sent' }
  | { readonly kind: 'retried'; readonly allowed: number; readonly alone: number };

// fleet-processes.test.ts alone starts this program, and writes nothing else
const options = JSON.parse(process.argv[2] ?? '') as FleetProcessOptions;
const ratio = { percent: 10, windowMs: 60_000, minSamples: 100 };
const key = { downstream: 'orders', tenant: `worker-${process.pid}`, ratio };

const { connectionString } = options;
const exchanged: number[] = [];
const opened = await openPostgresFleetStore({ connectionString });
const store = {
  ...opened,
  exchange: async (report: Parameters<typeof opened.exchange>[0]) => {
    const answer = await opened.exchange(report);
    exchanged.push(report.changes.reduce((sum, { calls }) => sum + calls, 0));
    return answer;
  },
};
const budget = createRetryBudget({ store, answerWithinMs: 30_000 });

const tell = (message: FleetProcessMessage): void => void process.send?.(message);
const windows = 2; // the downstream's, and that of the tenant that this worker has for itself

async function send(): Promise<void> {
  for (let call = 0; call < options.calls; call++) budget.callSent(key);
  while (exchanged.reduce((sum, calls) => sum + calls, 0) < options.calls * windows) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    budget.callSent(key).takeBack();
  }
  tell({ kind: 'sent' });
}

async function retry(): Promise<void> {
  const decisions = await Promise.all(
    Array.from({ length: options.retries }, () => budget.decide(key, { dueInMs: 100 })),
  );
  const allowed = decisions.filter((decision) => decision.allowed).length;
  const alone = decisions.filter(({ by }) => by === 'worker').length;
  tell({ kind: 'retried', allowed, alone });
}

process.on('message', (order) => {
  void (order === 'send' ? send() : retry()); // its end is the message
});
process.on('disconnect', () => process.exit(0));
tell({ kind: 'ready' });
