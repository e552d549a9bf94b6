import { findPostgres } from './ledger-stores.js';
import { measureMemory } from './limiter-memory.js';
import { measureProcesses } from './limiter-processes.js';
import type { BenchOptions, BenchResult } from './result.js';

/**
 * Measures admissions beside other limiters: in memory, and by four processes through PostgreSQL where this machine
 * has one.
 */
export async function benchLimiter(options: BenchOptions): Promise<BenchResult> {
  const postgres = await findPostgres();
  try {
    if ('missing' in postgres) options.log(`(e) without PostgreSQL: ${postgres.missing}`);
    const measures = [
      ...(await measureMemory(options)),
      ...('missing' in postgres ? [] : await measureProcesses(postgres, options)),
    ];
    return {
      id: 'e',
      title: 'limiter: admissions beside other limiters',
      measures,
      checks: [],
      notes: [
        ...('missing' in postgres ? [`PostgreSQL is not measured. ${postgres.missing}`] : []),
        'holdfast books requests and tokens in windows that are exact to the millisecond; the others count one',
        'figure: bottleneck and limiter in a bucket, rate-limiter-flexible in a window with fixed edges.',
        'A crowd asks at once and is let through at 1,000 a second; rate-limiter-flexible lets 1,000 go at the',
        'start of each second. In PostgreSQL all ask for one key, 4 at once in each process. holdfast does not',
        'wait for the disk at a commit; rate-limiter-flexible does, unless synchronous_commit is off.',
      ],
    };
  } finally {
    if ('stop' in postgres) await postgres.stop();
  }
}
