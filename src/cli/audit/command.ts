import { resolve } from 'node:path';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import type { AuditOptions, Severity } from '../../history/audit/finding.js';
import { severities } from '../../history/audit/finding.js';
import { NotFoundError, UsageError } from '../cli-errors.js';
import { wholeNumber } from '../number-option.js';
import { createProgress, paint, say, sayJson } from '../output.js';
import { printable } from '../printable.js';
import {
  addressOption,
  CONNECT_TIMEOUT_MS,
  readServerConfig,
  withClient,
} from '../temporal-client.js';
import { checkWritable, writeWhole } from '../write-file.js';
import type { AuditResult } from './audit-result.js';
import { type AuditCommandOptions, auditWords, defaultThreshold } from './audit-words.js';
import { FindingsError } from './findings-error.js';
import type { SavedAudit } from './saved-audit.js';

const help = `
Reads the histories of a namespace, or of a folder of JSON files, of holdfast's workflows and of any
others.
Per type of activity: the failure rate of an attempt and where it lies with 95 % confidence, the p50
and p95 of an attempt's duration, and attempts for each call. A history holds the last failure of a
retried activity alone: every attempt before the last has failed.
Findings are ranked by severity, then by money and attempts wasted. high: harm is done, or can't be
undone; medium: it waits for a bad day; low: worth a look. Looked for: retries in layers, retries
without limit, missing timeouts, writes without keys, retries on errors that no retry mends, more
than 10 % retries, more than 15 % of tokens wasted, and breakers that never opened: no call of a
governed downstream was refused although a run sent calls after --threshold failures in a row, or 10
% and at least 20 of its attempts failed.
--nodes writes the calls of a type of workflow for holdfast plan. --state keeps what was learned,
page by page: a second call goes on where the first one ended. Ends with 0 whatever is found, unless
--fail-on is given.

Examples:
  holdfast audit --namespace support
  holdfast audit --query 'StartTime > "2026-11-01T00:00:00Z"' --state audit.json --html audit.html
  holdfast audit --nodes nodes.json && holdfast plan nodes.json
  holdfast audit --histories ./histories --fail-on high --json`;

/** Adds `holdfast audit`. */
export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description(
      'Look through many workflows for faulty retries, and for what a budget would bring',
    )
    .option('--namespace <name>', "the server's namespace")
    .addOption(addressOption())
    .option('--query <query>', 'only workflows that this visibility query finds', '')
    .option('--histories <folder>', 'read the JSON files of a folder instead of a server')
    .addOption(
      new Option('--limit <runs>', 'end after about so many runs').argParser(
        wholeNumber({ least: 1, most: 1_000_000_000 }),
      ),
    )
    .option('--state <file>', 'keep what was learned there, and go on from it')
    .option('--writes <types>', 'types of activity that change something, with commas', list, [])
    .option('--cost <type=micros>', 'price of an attempt; may be repeated', cost, new Map())
    .addOption(
      new Option('--threshold <failures>', 'failures in a row that should open a breaker')
        .argParser(wholeNumber({ least: 1, most: 1_000_000 }))
        .default(defaultThreshold),
    )
    .option(
      '--chain <workflow type>',
      'the type whose calls --nodes writes, else the most frequent',
    )
    .option(
      '--nodes <file>',
      "write the planner's nodes, or - for standard output and nothing else",
    )
    .option('--html <file>', 'write a page')
    .addOption(
      new Option('--fail-on <severity>', 'end with 1 where a finding is that bad').choices(
        severities,
      ),
    )
    .option('--wide', 'show every text whole, however long its line')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(audit);
}

async function audit(options: AuditCommandOptions): Promise<void> {
  if (options.nodes === '-' && options.json) {
    throw new UsageError(
      'Standard output takes one of --nodes - and --json: name a file for the nodes.',
    );
  }
  checkSource(options);
  const paths = [options.nodes, options.html, options.state].filter((path) => path !== undefined);
  if (new Set(paths.map((path) => resolve(path))).size < paths.length) {
    throw new UsageError('--nodes, --html and --state each need a file of their own.');
  }
  for (const path of paths) if (path !== '-') await checkWritable(path);
  const saved = await read(options);
  noteUnseen(saved, options);
  const { auditResult } = await import('./audit-result.js');
  const result = auditResult(saved, auditOptions(options));
  if (options.nodes !== undefined) await writeNodes(options.nodes, result, options.chain);
  if (options.html !== undefined) await writeHtml(options.html, result, options);
  if (options.json) sayJson(result);
  else if (options.nodes !== '-') {
    const { renderAudit } = await import('./audit-text.js');
    say(renderAudit(result, { paint, isWide: options.wide === true }));
  }
  if (options.failOn !== undefined) failOn(options.failOn, result);
}

/** Whoever asks for a part of a server's runs is not told about a whole folder. */
function checkSource({ histories, query, namespace, address }: AuditCommandOptions): void {
  if (histories === undefined) return;
  const words = [
    ...(query === '' ? [] : ['--query']),
    ...(namespace === undefined ? [] : ['--namespace']),
    ...(address === undefined ? [] : ['--address']),
  ];
  if (words.length === 0) return;
  throw new UsageError(
    `--histories reads a folder and asks no server: leave out ${words.join(' and ')}.`,
  );
}

/** A name that is mistyped would change nothing, and nobody would know. */
function noteUnseen({ audit }: SavedAudit, { writes, cost }: AuditCommandOptions): void {
  if (audit.beyond > 0) return;
  for (const type of new Set([...writes, ...cost.keys()])) {
    if (Object.hasOwn(audit.activities, type)) continue;
    process.stderr.write(`note: no run has called ${printable(type)}.\n`);
  }
}

async function read(options: AuditCommandOptions): Promise<SavedAudit> {
  const { readAudit } = await import('./read-audit.js');
  const progress = createProgress();
  const readOptions = {
    progress,
    tell: (line: string) => process.stderr.write(`${printable(line)}\n`),
    ...(options.state === undefined ? {} : { statePath: options.state }),
    ...(options.limit === undefined ? {} : { limit: options.limit }),
  };
  if (options.histories !== undefined) {
    const { folderSource } = await import('./folder-source.js');
    return readAudit(await folderSource(options.histories), readOptions);
  }
  const server = readServerConfig(options);
  return withClient(server, CONNECT_TIMEOUT_MS, async (client) => {
    const { namespaceSource } = await import('./namespace-source.js');
    const source = namespaceSource(client, { address: server.address, query: options.query });
    return readAudit(source, readOptions);
  });
}

function auditOptions({
  writes,
  cost: costMicros,
  threshold,
  chain,
}: AuditCommandOptions): AuditOptions & { readonly workflowType?: string } {
  return { writes, costMicros, threshold, ...(chain === undefined ? {} : { workflowType: chain }) };
}

async function writeNodes(path: string, { chain }: AuditResult, asked?: string): Promise<void> {
  if (chain === null || chain.nodes.length === 0) {
    const which = asked === undefined ? '' : ` of the type ${asked}`;
    throw new NotFoundError(
      `No workflow${which} has called an activity: there is nothing to plan.`,
    );
  }
  for (const note of chain.notes) process.stderr.write(`note: ${printable(note)}\n`);
  const text = `${JSON.stringify({ nodes: chain.nodes }, null, 2)}\n`;
  if (path === '-') process.stdout.write(text);
  else await writeWhole(path, text);
}

async function writeHtml(
  path: string,
  result: AuditResult,
  options: AuditCommandOptions,
): Promise<void> {
  const { auditPage } = await import('./audit-page.js');
  const { writePage } = await import('../write-page.js');
  await writePage(path, auditPage({ ...result, command: auditWords(options) }));
}

function failOn(severity: Severity, { findings, runs, skipped }: AuditResult): void {
  if (runs === 0) {
    const left = skipped === 0 ? '' : ` ${skipped} could not be read.`;
    throw new NotFoundError(`No run was read, so none was checked (--fail-on).${left}`);
  }
  const worst = severities.slice(0, severities.indexOf(severity) + 1);
  const count = findings.filter((finding) => worst.includes(finding.severity)).length;
  if (count > 0) throw new FindingsError(count, severity);
}

function list(text: string, before: readonly string[]): readonly string[] {
  return [
    ...before,
    ...text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ];
}

function cost(text: string, before: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const [, type = '', micros] = /^(.+)=(\d{1,12})$/.exec(text) ?? [];
  if (micros === undefined) {
    throw new InvalidArgumentError(
      'It must be a type of activity, =, and millionths of a currency unit.',
    );
  }
  return new Map([...before, [type, Number(micros)]]);
}
