import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { InvalidRequestError } from '../../budget/errors.js';
import { rules } from '../../budget/rules.js';
import { benchAgent } from './agent.js';
import { benchBatch } from './batch.js';
import { benchBulkhead } from './bulkhead.js';
import { benchDecisions } from './decisions.js';
import { benchFleet } from './fleet.js';
import { benchLedger } from './ledger.js';
import { benchLimiter } from './limiter.js';
import { benchOverhead } from './overhead.js';
import { benchPlanner } from './planner.js';
import { renderResult } from './render.js';
import type { BenchOptions, BenchResult } from './result.js';
import { benchStorm } from './storm.js';

const help = `Measures what holdfast costs. Every figure has its counterpart measured in the same run.

Usage: npm run bench -- [options]

  --only <letters>    Some of these, such as a,c:
                      a: the planner beside a scan of every gain
                      b: governed beside plain workflows, on a development server
                      c: breaker and classification beside cockatiel and opossum
                      d: the ledger beside bare statements, and a write beside a read
                      e: the limiter beside bottleneck, limiter and rate-limiter-flexible
                      f: retry budgets: the load of a fleet, and one decision beside limiters
                      g: calls to one downstream while another hangs, with and without a bulkhead
                      h: a batch of 100,000 items, which takes an hour or more
                      i: an agent's turns beside a workflow of plain activities
                      j: the events of a storm's simulation a second
                      Default: all but h.
  --items <n>         Items of the batch of (h).
  --quick             Fewer rounds: to see that it runs. Bounds are shown, not judged by.
  --json              Print one JSON value instead of tables.
  --profile <folder>  Write CPU profiles of the measured workers there.
  --help              Show this text.

(d), (e) and (f) start a PostgreSQL of their own, from the PATH, /usr/lib/postgresql or the folder in HOLDFAST_POSTGRES_BIN;
without one they measure what is left, and say so.

Exit codes: 0 every bound holds (or --quick), 1 a bound is missed or a benchmark failed, 2 wrong options.
`;

const benchmarks: Readonly<Record<string, (options: BenchOptions) => Promise<BenchResult>>> = {
  a: benchPlanner,
  b: benchOverhead,
  c: benchDecisions,
  d: benchLedger,
  e: benchLimiter,
  f: benchFleet,
  g: benchBulkhead,
  h: benchBatch,
  i: benchAgent,
  j: benchStorm,
};

/** What takes so long that it runs only where it is named. */
const onlyNamed: readonly string[] = ['h'];

type Choice = {
  readonly only: readonly string[];
  readonly json: boolean;
  readonly quick: boolean;
  readonly items: number | undefined;
  readonly profileFolder: string | undefined;
};

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let choice: Choice | 'help';
  try {
    choice = readChoice(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\nSee --help.\n`);
    return 2;
  }
  if (choice === 'help') {
    process.stdout.write(help);
    return 0;
  }
  try {
    return await bench(choice);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 1;
  }
}

async function bench({ only, json, quick, items, profileFolder }: Choice): Promise<number> {
  const log = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };
  const results: BenchResult[] = [];
  for (const id of only) {
    const result = await benchmarks[id]?.({ quick, log, items, profileFolder });
    if (result === undefined) continue; // readChoice lets only known ones pass
    results.push(result);
    if (!json) process.stdout.write(`${renderResult(result)}\n`);
  }
  const missed = results.flatMap(({ checks }) => checks.filter(({ holds }) => !holds));
  if (json) {
    const machine = { node: process.version, cpus: cpus().length };
    const report = { ...machine, quick, results, missed: missed.map(({ name }) => name) };
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  }
  return quick || missed.length === 0 ? 0 : 1;
}

function readChoice(args: readonly string[]): Choice | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      items: { type: 'string' },
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const only =
    values.only?.split(',').map((id) => id.trim()) ??
    Object.keys(benchmarks).filter((id) => !onlyNamed.includes(id));
  const unknown = only.find((id) => !Object.hasOwn(benchmarks, id));
  if (unknown !== undefined) {
    const rule = `must name ${Object.keys(benchmarks).join(', ')}`;
    throw new InvalidRequestError([{ field: '--only', rule, value: unknown }]);
  }
  const items = values.items === undefined ? undefined : Number(values.items);
  if (items !== undefined && !rules.positiveInteger.holds(items)) {
    const rule = rules.positiveInteger.text;
    throw new InvalidRequestError([{ field: '--items', rule, value: values.items }]);
  }
  return { only, json: values.json, quick: values.quick, items, profileFolder: values.profile };
}
