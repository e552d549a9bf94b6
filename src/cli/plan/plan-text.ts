import type { Allocation, Plan, PlanNode, PlanObjective } from '../../budget/plan.js';
import { thresholdNumber } from '../../budget/threshold.js';
import { durationText, percentText, unitsText } from '../figures.js';
import type { Paint } from '../output.js';
import { printable } from '../printable.js';
import { type Column, renderTable } from '../table.js';
import { renderTextPlot } from '../text-plot.js';
import { type FrontierPoint, objectives, type PlanComparison } from './compare-plans.js';

const marks = { 'absolute-gain': 'a', 'chain-success': 'c' } as const satisfies Record<
  PlanObjective,
  string
>;

/** Returns a chain's plan as text: its nodes, its sums by both objectives, its worst case, and other budgets. */
export function renderPlan(comparison: PlanComparison, paint: Paint): string {
  const { plans, policy, worstCase, frontier } = comparison;
  const { breakerCapped } = plans[policy.objective];
  const table = { paint, isWide: false };
  return [
    headOf(comparison),
    renderTable(nodeColumns, nodeRows(comparison), table),
    renderTable(sumColumns, sumRows(comparison), table),
    `At worst ${worstCase.maxAttempts} attempts for ${unitsText(worstCase.maxCostMicros)}: ` +
      `${worstCase.amplification} times one attempt at each node.` +
      (breakerCapped.length === 0
        ? ''
        : `\nA breaker allows fewer retries than the node does: ${breakerCapped.map(printable).join(', ')}.`),
    paint('bold', 'The frontier: what other budgets come to'),
    renderTable(frontierColumns(policy.objective), frontier, table),
    plotOf(frontier, {
      title: 'Chain success',
      figure: (plan) => plan.chainSuccess,
      yText: percentText,
    }),
    plotOf(frontier, {
      title: 'Expected cost of a run',
      figure: (plan) => plan.expectedCostMicros,
      yText: unitsText,
    }),
    `a: absolute-gain, c: chain-success, *: both.\n${bestBudget(comparison)}`,
  ].join('\n\n');
}

/** Says in a sentence which of the frontier's budgets buys success for the least. */
export function bestBudget({ frontier, policy }: PlanComparison): string {
  const [best] = frontier.toSorted(
    (a, b) => priceOf(a, policy.objective) - priceOf(b, policy.objective) || a.budget - b.budget,
  );
  const price = best === undefined ? Number.POSITIVE_INFINITY : priceOf(best, policy.objective);
  if (best === undefined || !Number.isFinite(price)) return 'No budget brings success.';
  const success = percentText(best.plans[policy.objective].chainSuccess);
  const isOpen =
    best === frontier.at(-1) && best.plans[policy.objective].retriesUsed === best.budget;
  return (
    `Of these budgets a success costs least with ${best.budget}: ${unitsText(price)}, at ${success} success.` +
    (isOpen ? ' It may cost less with more: --frontier.' : '')
  );
}

function priceOf({ plans }: FrontierPoint, objective: PlanObjective): number {
  return plans[objective].costPerSuccessMicros;
}

/** Says in a line what is planned. */
export function headOf({ nodes, policy }: PlanComparison): string {
  const { globalRetryBudget, consecutiveFailureThreshold, objective } = policy;
  const [many, retries] = [
    nodes.length === 1 ? 'node' : 'nodes',
    globalRetryBudget === 1 ? 'retry' : 'retries',
  ];
  const opening =
    thresholdNumber(consecutiveFailureThreshold) === Number.POSITIVE_INFINITY
      ? 'never open'
      : `open at ${consecutiveFailureThreshold} ${consecutiveFailureThreshold === 1 ? 'failure' : 'failures in a row'}`;
  return (
    `${nodes.length} ${many}, ${globalRetryBudget} ${retries} for the chain, breakers that ` +
    `${opening}, objective ${objective}`
  );
}

type NodeRow = {
  readonly node: PlanNode;
  readonly chosen: Allocation | undefined;
  readonly retries: Readonly<Record<PlanObjective, number>>;
};

function nodeRows({ nodes, plans, policy }: PlanComparison): readonly NodeRow[] {
  return nodes.map((node, index) => ({
    node,
    chosen: plans[policy.objective].allocations[index],
    retries: {
      'absolute-gain': plans['absolute-gain'].allocations[index]?.retries ?? 0,
      'chain-success': plans['chain-success'].allocations[index]?.retries ?? 0,
    },
  }));
}

const figure = { most: 16, isNumber: true } as const;

const nodeColumns: readonly Column<NodeRow>[] = [
  { title: 'NODE', most: 24, text: ({ node }) => printable(node.id) },
  { title: 'REQUIRED', most: 8, text: ({ node }) => (node.required ? 'yes' : 'no') },
  { ...figure, title: 'ONE FAILS', text: ({ node }) => percentText(node.failureRate) },
  { ...figure, title: 'RETRIES a', text: ({ retries }) => String(retries['absolute-gain']) },
  { ...figure, title: 'c', text: ({ retries }) => String(retries['chain-success']) },
  { ...figure, title: 'CAP', text: ({ chosen }) => String(chosen?.retryCap) },
  {
    ...figure,
    title: 'ALL FAIL',
    text: ({ chosen }) => percentText(chosen?.effectiveFailureRate ?? 0),
  },
  {
    ...figure,
    title: 'ATTEMPTS',
    text: ({ chosen }) => (chosen?.expectedAttempts ?? 0).toFixed(3),
  },
  { ...figure, title: 'COST', text: ({ chosen }) => unitsText(chosen?.expectedCostMicros ?? 0) },
];

type SumRow = { readonly name: string; readonly text: (plan: Plan) => string } & {
  readonly comparison: PlanComparison;
};

/** The sums of a plan, by their names. */
export const planSums: readonly Omit<SumRow, 'comparison'>[] = [
  { name: 'retries given out', text: (plan) => String(plan.retriesUsed) },
  { name: 'required nodes all succeed', text: (plan) => percentText(plan.chainSuccess) },
  { name: 'some optional node fails', text: (plan) => percentText(plan.partialProbability) },
  { name: 'expected cost of a run', text: (plan) => unitsText(plan.expectedCostMicros) },
  { name: 'cost of a success', text: (plan) => unitsText(plan.costPerSuccessMicros) },
  {
    name: 'expected latency, without backoff',
    text: (plan) => durationText(plan.expectedLatencyMs),
  },
  { name: 'attempts for each node', text: (plan) => String(plan.retryAmplification) },
];

function sumRows(comparison: PlanComparison): readonly SumRow[] {
  return planSums.map((row) => ({ ...row, comparison }));
}

const sumColumns: readonly Column<SumRow>[] = [
  { title: 'THE CHAIN', most: 40, text: ({ name }) => name },
  ...objectives.map((objective) => ({
    ...figure,
    title: `${marks[objective]}: ${objective}`,
    text: ({ text, comparison }: SumRow) => text(comparison.plans[objective]),
  })),
];

function frontierColumns(objective: PlanObjective): readonly Column<FrontierPoint>[] {
  return [
    { ...figure, title: 'BUDGET', text: ({ budget }) => String(budget) },
    ...objectives.map((one) => ({
      ...figure,
      title: `SUCCESS ${marks[one]}`,
      text: ({ plans }: FrontierPoint) => percentText(plans[one].chainSuccess),
    })),
    {
      ...figure,
      title: 'COST',
      text: ({ plans }) => unitsText(plans[objective].expectedCostMicros),
    },
    { ...figure, title: 'A SUCCESS', text: (point) => unitsText(priceOf(point, objective)) },
    {
      ...figure,
      title: 'LATENCY',
      text: ({ plans }) => durationText(plans[objective].expectedLatencyMs),
    },
    { ...figure, title: 'USED', text: ({ plans }) => String(plans[objective].retriesUsed) },
  ];
}

function plotOf(
  frontier: readonly FrontierPoint[],
  options: {
    readonly title: string;
    readonly figure: (plan: FrontierPoint['plans'][PlanObjective]) => number;
    readonly yText: (y: number) => string;
  },
): string {
  return renderTextPlot({
    title: options.title,
    xTitle: 'retries for the chain',
    yText: options.yText,
    series: objectives.map((objective) => ({
      mark: marks[objective],
      points: frontier.map(({ budget, plans }) => ({
        x: budget,
        y: options.figure(plans[objective]),
      })),
    })),
  });
}
