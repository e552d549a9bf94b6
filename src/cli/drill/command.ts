import { type Command, Option } from 'commander';
import { type DrillPlan, mostTickets, ticketCount } from '../../lab/drill/drill-plan.js';
import type { DrillResult } from '../../lab/drill/drill-result.js';
import { ChecksFailedError, UsageError } from '../cli-errors.js';
import { duration } from '../duration-option.js';
import { wholeNumber } from '../number-option.js';
import { createProgress, paint, say, sayJson } from '../output.js';
import { readServerConfig, withClient } from '../temporal-client.js';
import { checkWritable } from '../write-file.js';
import { checkWritableFolder, writeCharts, writePage } from '../write-page.js';
import { renderDrill } from './drill-text.js';
import { whileUninterrupted } from './interruption.js';

type DrillCommandOptions = {
  readonly calm: number;
  readonly fault: number;
  readonly recovery: number;
  readonly rate: number;
  readonly seed: number;
  readonly networkFaults?: true;
  readonly address?: string;
  readonly namespace?: string;
  readonly html?: string;
  readonly png?: string;
  readonly json?: true;
};

const longestMs = 600_000;
const connectTimeoutMs = 5_000;

const help = `
Tickets arrive at a steady rate at two sides at once: one with holdfast at its defaults, one with
Temporal's default retry policy alone. Each has a worker and a downstream, processes of their own,
and makes four calls a ticket: two reads, a refund, a model's answer. In the fault 30 % of the calls
are dropped, half of them after their effect, and all wait 2 s; an attempt may take 3 s. The seed
decides which: both sides meet the same faults. With --network-faults Toxiproxy strikes connections
instead.

The breaker needs 50 calls in 10 s, the retry budget 100: below 3 tickets a second there is little
to judge. The drill starts a development server of its own; --address names another one, without
TLS, which then gets the load. It takes the three durations and up to 20 s more. Progress goes to
standard error.
--json prints {"plan", "passed", "sides": [{"id", "totals", "verdicts", "breaker", "seconds"}]}.
Exit code 1 says that holdfast's side failed a verdict.

Examples:
  holdfast drill
  holdfast drill --html drill.html --png drill-plots
  holdfast drill --calm 10s --fault 20s --recovery 10s --json
  holdfast drill --network-faults`;

/** Adds `holdfast drill`. */
export function addDrillCommand(program: Command): void {
  const phase = (flags: string, description: string, seconds: number): Option =>
    new Option(flags, description)
      .argParser(duration({ leastMs: 0, mostMs: longestMs }))
      .default(seconds * 1_000, `${seconds}s`);
  program
    .command('drill')
    .description('Run a fault drill on real parts, with holdfast and without, and judge it')
    .addOption(phase('--calm <duration>', 'before the fault', 20))
    .addOption(phase('--fault <duration>', 'with 30 % of the calls dropped and 2 s of delay', 40))
    .addOption(phase('--recovery <duration>', 'after the fault', 20))
    .addOption(
      new Option('--rate <tickets>', 'tickets a second, at each side')
        .argParser(wholeNumber({ least: 1, most: 50 }))
        .default(3),
    )
    .addOption(
      new Option('--seed <number>', 'same seed, same faults')
        .argParser(wholeNumber({ least: 0, most: 2 ** 31 }))
        .default(1),
    )
    .option('--network-faults', 'let Toxiproxy strike connections (built once, which needs Go)')
    .option('--address <host:port>', 'a Temporal server to load, in place of one of its own')
    .option('--namespace <name>', 'its namespace (default: default)')
    .option('--html <file>', 'write a page of plots')
    .option('--png <folder>', 'write each plot as a picture')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(drill);
}

async function drill(options: DrillCommandOptions): Promise<void> {
  const plan = planOf(options);
  const { address, namespace = 'default', html, png, json } = options;
  if (html !== undefined) await checkWritable(html);
  if (png !== undefined) await checkWritableFolder(png);
  const server = address === undefined ? undefined : await serverOf(address, namespace);
  const { runDrill } = await import('../../lab/drill/run-drill.js'); // it loads Temporal's worker
  const progress = createProgress();
  let result: DrillResult;
  try {
    result = await whileUninterrupted((signal) =>
      runDrill({
        plan,
        signal,
        onProgress: progress.show,
        ...(server === undefined ? {} : { server }),
      }),
    );
  } finally {
    progress.end();
  }
  if (json) sayJson(result);
  else say(renderDrill(result, paint));
  await writePictures(result, { html, png });
  const own = result.sides.find(({ id }) => id === 'holdfast')?.verdicts ?? [];
  const missed = own.filter(({ kind }) => kind === 'fail').length;
  if (missed > 0) throw new ChecksFailedError(missed, own.length);
}

/** Asks the server before anything is started. Throws ServerUnreachableError where it gives no answer. */
async function serverOf(
  address: string,
  namespace: string,
): Promise<{ readonly address: string; readonly namespace: string }> {
  await withClient(readServerConfig({ address, namespace }), connectTimeoutMs, (client) =>
    client.workflowService.describeNamespace({ namespace }),
  );
  return { address, namespace };
}

function planOf(options: DrillCommandOptions): DrillPlan {
  const { calm, fault, recovery, rate, seed, networkFaults, address, namespace } = options;
  const plan: DrillPlan = {
    ratePerSecond: rate,
    seed,
    calmMs: calm,
    faultMs: fault,
    recoveryMs: recovery,
    networkFaults: networkFaults === true,
  };
  if (fault === 0) throw new UsageError('--fault must be longer than 0s: it is what is drilled.');
  if (namespace !== undefined && address === undefined) {
    throw new UsageError(
      '--namespace needs --address: the drill has a server of its own without it.',
    );
  }
  if (ticketCount(plan) > mostTickets) {
    throw new UsageError(
      `These durations and --rate make ${ticketCount(plan)} tickets; a drill has ${mostTickets} at most.`,
    );
  }
  return plan;
}

async function writePictures(
  result: DrillResult,
  { html, png }: { readonly html: string | undefined; readonly png: string | undefined },
): Promise<void> {
  if (html === undefined && png === undefined) return;
  const { drillPage } = await import('../../lab/drill/drill-page.js');
  const page = drillPage(result);
  if (html !== undefined) await writePage(html, page);
  if (png !== undefined) await writeCharts(png, page);
}
