import { type Command, InvalidArgumentError, Option } from 'commander';
import type { PlanObjective, PlanPolicy } from '../../budget/plan.js';
import { wireNumber } from '../figures.js';
import { wholeNumber } from '../number-option.js';
import { paint, say, sayJson } from '../output.js';
import { comparePlans, objectives, type PlanComparison } from './compare-plans.js';
import { renderPlan } from './plan-text.js';
import { readPlanRequest } from './read-nodes.js';

type PlanOptions = {
  readonly budget?: number;
  readonly threshold?: number;
  readonly objective?: PlanObjective;
  readonly frontier?: number;
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
--json prints {"policy", "plans": {"absolute-gain", "chain-success"}, "worstCase", "frontier":
[{"budget", "plans"}]}, with "Infinity" for a success that is impossible.

Examples:
  holdfast plan nodes.json
  holdfast plan nodes.json --budget 6 --objective chain-success
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
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(plan);
}

async function plan(file: string, options: PlanOptions): Promise<void> {
  const comparison = comparePlans(
    await readPlanRequest(file, givenPolicy(options)),
    options.frontier,
  );
  if (options.json) return sayJson(asJson(comparison));
  say(renderPlan(comparison, paint));
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
