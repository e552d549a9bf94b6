import { once } from 'node:events';
import { Pool } from 'pg';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { openPostgresLimiter } from '../../limits/index.js';

/**
 * A process that asks a limiter in PostgreSQL: `node limiter-process.js <kind> <url>`. Sends 'ready', admits as many
 * as it is told and sends 'done', and ends with its parent.
 */
const [kind, connectionString = ''] = process.argv.slice(2);
const inFlight = 4;
const never = 1_000_000_000;

const admit = await openAdmit();
process.on('message', (admissions: number) => {
  // its end is the message; an error ends the process, which its parent tells
  void admitAll(admissions).then(() => process.send?.('done'));
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');

async function openAdmit(): Promise<() => Promise<unknown>> {
  if (kind === 'holdfast') {
    const limiter = await openPostgresLimiter({ connectionString, maxConnections: inFlight });
    const figures = { requestsPerMinute: never, tokensPerMinute: never };
    const key = { downstream: 'model' };
    return () => limiter.admit({ key, figures, tokens: 1, maxWaitMs: 5_000 });
  }
  const options = kind === 'flexible-not-waiting' ? '-c synchronous_commit=off' : '';
  const pool = new Pool({ connectionString, max: inFlight, options });
  pool.on('error', () => {}); // a statement in flight tells
  const opened = new EventTarget();
  const isOpen = once(opened, 'open');
  const limiter = new RateLimiterPostgres(
    { storeClient: pool, points: never, duration: 60, tableName: 'flexible_limits' },
    () => opened.dispatchEvent(new Event('open')),
  );
  await isOpen;
  return () => limiter.consume('model');
}

async function admitAll(admissions: number): Promise<void> {
  let left = admissions;
  const takeTurns = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await admit();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, takeTurns));
}
