import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import type { RunFacts } from '../../history/run-facts.js';
import { NotFoundError, UsageError } from '../cli-errors.js';
import { readJsonInput } from '../json-input.js';
import { paint, say, sayJson } from '../output.js';
import {
  addressOption,
  CONNECT_TIMEOUT_MS,
  readServerConfig,
  withClient,
} from '../temporal-client.js';

type ReportOptions = {
  readonly address?: string;
  readonly namespace?: string;
  readonly runId?: string;
  readonly chain?: true;
  readonly history?: string;
  readonly html?: string;
  readonly wide?: true;
  readonly json?: true;
};

const help = `
Works on any workflow, with holdfast or without. --history reads a file as \`temporal workflow show
--output json\`, the UI's download and the SDKs write it, or - for standard input; then no server is
asked.
A history holds one start for each activity, that of its last attempt: what came before it is shown
as one time. BACKOFF is what the retry policy set of it; the gate's own waits, and calls that a
run's breaker rejected, leave nothing in a history. Of a local activity it holds no time but the
end. Tokens and money are known where holdfast's worker told them.
Prints one JSON document with --json:
{"runs": [{"workflowId", "runId", "status", "calls": […]}], "types": […], "totals"}; durations are
milliseconds, money millionths of a currency unit, null what nobody told.

Examples:
  holdfast report ticket-14
  holdfast report ticket-14 --chain --html report.html
  temporal workflow show --workflow-id ticket-14 --output json | holdfast report --history -`;

/** Adds `holdfast report`. */
export function addReportCommand(program: Command): void {
  program
    .command('report')
    .description("Report where a workflow's attempts went, what they cost and what the gate did")
    .argument('[workflow id]', 'the workflow; not with --history')
    .option('--run-id <id>', 'one of its runs, instead of the last one')
    .option('--chain', 'all its runs by continue-as-new, retry or schedule')
    .option('--history <file>', 'a file that holds a history, or - for standard input')
    .option('--html <file>', 'write a page with a timeline')
    .option('--namespace <name>', "the server's namespace")
    .addOption(addressOption())
    .option('--wide', 'show every text whole, however long its line')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(report);
}

async function report(workflowId: string | undefined, options: ReportOptions): Promise<void> {
  const runs = await readRuns(workflowId, options);
  const { reportRuns } = await import('../../history/report.js');
  const found = reportRuns(runs);
  if (options.html !== undefined) await writeReport(options.html, runs);
  if (options.json) return sayJson(found);
  const { renderReport } = await import('./report-text.js');
  say(renderReport(found, { paint, isWide: options.wide === true }));
  if (options.html !== undefined) say(paint('dim', `The page is ${options.html}.`));
}

async function writeReport(path: string, runs: readonly RunFacts[]): Promise<void> {
  const { reportPage } = await import('./report-page.js');
  const { writePage } = await import('../write-page.js');
  const id = runs[0]?.workflowId ?? '';
  await writePage(
    path,
    reportPage(runs, `holdfast report ${id === '' ? '--history <file>' : id} --html ${path}`),
  );
}

async function readRuns(
  workflowId: string | undefined,
  options: ReportOptions,
): Promise<readonly RunFacts[]> {
  const { history, chain, runId } = options;
  if (history !== undefined) {
    if (workflowId !== undefined || chain || runId !== undefined) {
      throw new UsageError(
        '--history is a run by itself: give no workflow id, --run-id or --chain.',
      );
    }
    return [await readHistoryFile(history)];
  }
  if (workflowId === undefined || workflowId === '') {
    throw new UsageError('Name a workflow by its id, or a file of a history by --history.');
  }
  const server = readServerConfig(options);
  const choice = runId === undefined ? { workflowId } : { workflowId, runId };
  return withClient(server, CONNECT_TIMEOUT_MS, async (client) => {
    const { fetchChain, fetchRun, isGone } = await import('../../history/fetch-run.js');
    const fetch = (from: Client): Promise<readonly RunFacts[]> =>
      chain ? fetchChain(from, choice) : fetchRun(from, choice).then((run) => [run]);
    return fetch(client).catch((error: unknown) => {
      if (!isGone(error)) throw error;
      const which = runId === undefined ? '' : ` with the run ${runId}`;
      throw new NotFoundError(
        `There is no workflow ${workflowId}${which} in the namespace ${server.namespace}.`,
      );
    });
  });
}

async function readHistoryFile(file: string): Promise<RunFacts> {
  const { readRun } = await import('../../history/read-history.js');
  const { historyIn } = await import('../../history/history-in.js');
  const history = historyIn(await readJsonInput(file));
  if (history === undefined) {
    throw new UsageError(
      `${file === '-' ? 'Standard input' : file} holds no history: it has no list of events.`,
    );
  }
  return readRun(history);
}
