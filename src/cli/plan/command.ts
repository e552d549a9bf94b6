import { type Command, InvalidArgumentError, Option } from 'commander';
import type { PlanObjective, PlanPolicy } from '../../budget/plan.js';
import { wireNumber } from '../figures.js';
import { wholeNumber } from '../number-option.js';
import { paint, say, sayJson } from '../output.js';
import { shellWord } from '../shell-word.js';
import { comparePlans, objectives, type PlanComparison } from './compare-plans.js';
import { renderPlan } from './plan-text.js';
import { readPlanRequest } from './read-nodes.js';

type PlanOptions = {
  readonly budget?: number;
  readonly threshold?: number;
  readonly objective?: PlanObjective;
  readonly frontier?: number;
  readonly html?: string;
  readonly png?: string;
  readonly json?: true;
};

const mostRetries = 1_000_000;

const help = `
The file, or - for standard input, holds {"nodes": […], "policy"?: {…}} or the list of nodes alone,
as holdfast audit --nodes writes it. A node: {"id", "failureRate", "attemptCostMicros", "latencyMs",
"maxRetries", "required", "retryFailureRates"?}; costs are millionths of a currency unit. The
policy:
{"globalRetryBudget", "consecutiveFailureThreshold", "halfOpenAfterCalls", "objective"}; options go
before it, and what neither says is 3, 3, 3 and absolute-gain. The threshold may be "Infinity".
absolute-gain takes the retry that rescues the largest share of its node's calls, chain-success the
one that lifts the success of the whole chain the most.
The table, by node: ONE FAILS, how often the first attempt fails; RETRIES, what each objective
gives; CAP, the most that the node and its breaker allow; ALL FAIL, how often a call gets no answer;
ATTEMPTS and COST, a call's means, COST in units of the currency. USED, by budget: the retries that
the plan gives.
--json prints {"nodes", "policy", "plans": {"absolute-gain", "chain-success"}, "worstCase",
"frontier": [{"budget", "plans"}]}, with "Infinity" for a success that is impossible.

Examples:
  holdfast plan nodes.json
  holdfast plan nodes.json --budget 6 --objective chain-success
  holdfast plan nodes.json --html plan.html --png plan-plots
  holdfast audit --nodes - | holdfast plan - --json`;

/** Adds `holdfast plan`. */
export function addPlanCommand(program: Command): void {
  program
    .command('plan')
    .description(
      'Plan the retries of a chain: where a budget goes, what it brings and what it costs',
    )
    .argument('<nodes.json>', 'the file of nodes, or - for standard input')
    .addOption(
      new Option('--budget <retries>', 'retries for the whole chain').argParser(
        wholeNumber({ least: 0, most: mostRetries }),
      ),
    )
    .option(
      '--threshold <failures>',
      'failures in a row that open a breaker, or Infinity',
      threshold,
    )
    .addOption(new Option('--objective <objective>', 'what is maximised').choices(objectives))
    .addOption(
      new Option('--frontier <retries>', 'the highest budget to compare').argParser(
        wholeNumber({ least: 0, most: mostRetries }),
      ),
    )
    .option('--html <file>', 'write a page with the plots')
    .option('--png <folder>', 'write the plots as pictures')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(plan);
}

async function plan(file: string, options: PlanOptions): Promise<void> {
  const comparison = comparePlans(
    await readPlanRequest(file, givenPolicy(options)),
    options.frontier,
  );
  const written = await write(file, options, comparison);
  if (options.json) return sayJson(asJson(comparison));
  say([renderPlan(comparison, paint), ...written].join('\n'));
}

/** Writes what was asked for, and returns lines that say where it is. */
async function write(
  file: string,
  options: PlanOptions,
  comparison: PlanComparison,
): Promise<readonly string[]> {
  const { html, png } = options;
  if (html === undefined && png === undefined) return [];
  const [{ planPage }, { writeCharts, writePage }] = await Promise.all([
    import('./plan-page.js'),
    import('../write-page.js'),
  ]);
  const page = planPage(comparison, commandOf(file, options));
  if (html !== undefined) await writePage(html, page);
  const pictures = png === undefined ? [] : await writeCharts(png, page);
  return [...(html === undefined ? [] : [html]), ...pictures].map((path) => `Written: ${path}`);
}

function commandOf(file: string, options: PlanOptions): string {
  const given = (['budget', 'threshold', 'objective', 'frontier'] as const).flatMap((name) =>
    options[name] === undefined ? [] : [`--${name} ${options[name]}`],
  );
  return ['holdfast plan', shellWord(file), ...given].join(' ');
}

function givenPolicy({ budget, threshold: failures, objective }: PlanOptions): Partial<PlanPolicy> {
  return {
    ...(budget === undefined ? {} : { globalRetryBudget: budget }),
    ...(failures === undefined ? {} : { consecutiveFailureThreshold: failures }),
    ...(objective === undefined ? {} : { objective }),
  };
}

function threshold(text: string): number {
  if (text === 'Infinity') return Number.POSITIVE_INFINITY;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (value >= 1) return value;
  throw new InvalidArgumentError('It must be a positive integer or Infinity.');
}

/** JSON has no Infinity, and would make null of it. */
function asJson({ nodes, policy, plans, worstCase, frontier }: PlanComparison): unknown {
  const document = JSON.stringify({ nodes, policy, plans, worstCase, frontier }, (_key, value) =>
    typeof value === 'number' ? wireNumber(value) : value,
  );
  return JSON.parse(document);
}
