import type { Plan, PlanObjective } from '../../budget/plan.js';
import type { Chart, Fact, Page, PageTable, Section } from '../../pages/page.js';
import { durationText, percentText, unitsText } from '../figures.js';
import { type FrontierPoint, objectives, type PlanComparison } from './compare-plans.js';
import { bestBudget, headOf, planSums } from './plan-text.js';

/** Rows of a table that a page shows at most. */
const mostRows = 1_000;

/** Returns a chain's plan as a page: sums by both objectives, where the retries go, and what other budgets come to. */
export function planPage(comparison: PlanComparison, command: string): Page {
  const { plans, policy } = comparison;
  const chosen = plans[policy.objective];
  return {
    title: 'A plan of retries',
    lead:
      `${headOf(comparison)}: the required nodes all succeed in ${percentText(chosen.chainSuccess)} of runs, ` +
      `which cost ${unitsText(chosen.expectedCostMicros)} each.`,
    command,
    sections: [
      { title: 'The chain', blocks: [{ kind: 'facts', facts: factsOf(comparison) }] },
      section('Both objectives', sumTable(comparison)),
      section('Where the retries go', nodeTable(comparison)),
      {
        title: 'The frontier: what other budgets come to',
        blocks: [
          { kind: 'text', text: bestBudget(comparison) },
          ...frontierCharts(comparison).map((chart) => ({ kind: 'chart', chart }) as const),
          { kind: 'table', table: frontierTable(comparison) },
        ],
      },
    ],
  };
}

/** Returns the plots of a frontier: success and cost of a run, by budget. */
function frontierCharts({ frontier }: PlanComparison): readonly Chart[] {
  return [
    frontierChart(frontier, {
      title: 'Chain success by budget',
      axis: 'percent of runs',
      figure: ({ chainSuccess }) => chainSuccess * 100,
    }),
    frontierChart(frontier, {
      title: 'Expected cost of a run by budget',
      axis: 'currency units',
      figure: ({ expectedCostMicros }) => expectedCostMicros / 1e6,
    }),
  ];
}

type Line = {
  readonly title: string;
  readonly axis: string;
  readonly figure: (plan: FrontierPoint['plans'][PlanObjective]) => number;
};

function frontierChart(frontier: readonly FrontierPoint[], { title, axis, figure }: Line): Chart {
  const values = objectives.flatMap((objective) =>
    frontier.map(({ budget, plans }) => ({
      budget,
      objective,
      figure: Number(figure(plans[objective]).toPrecision(8)),
    })),
  );
  const told = objectives.map((objective) => {
    const line = values.filter((value) => value.objective === objective);
    const [first, last] = [line[0], line.at(-1)];
    return `${objective} goes from ${first?.figure} at a budget of ${first?.budget} to ${last?.figure} at ${last?.budget}`;
  });
  return {
    title,
    description: `In ${axis}: ${told.join('; ')}.`,
    spec: {
      data: { values },
      mark: { type: 'line', point: true },
      encoding: {
        x: {
          field: 'budget',
          type: 'quantitative',
          title: 'retries for the chain',
          axis: { tickMinStep: 1, format: 'd' },
        },
        y: { field: 'figure', type: 'quantitative', title: axis, scale: { zero: false } },
        color: { field: 'objective', type: 'nominal', title: 'objective' },
      },
    },
  };
}

function factsOf({ plans, policy, worstCase }: PlanComparison): readonly Fact[] {
  const { breakerCapped } = plans[policy.objective];
  return [
    { name: 'Objective', value: policy.objective },
    { name: 'Retries for the chain', value: String(policy.globalRetryBudget) },
    { name: 'Attempts at worst', value: String(worstCase.maxAttempts) },
    { name: 'Cost at worst', value: unitsText(worstCase.maxCostMicros) },
    { name: 'Cost at worst, over one attempt each', value: `${worstCase.amplification} times` },
    {
      name: 'Nodes with fewer retries because of their breaker',
      value: String(breakerCapped.length),
      ...(breakerCapped.length === 0 ? {} : { tone: 'warning' }),
    },
  ];
}

function sumTable({ plans }: PlanComparison): PageTable {
  const text = (row: (typeof planSums)[number], objective: PlanObjective): string =>
    row.text(plans[objective]);
  return {
    caption: 'The chain by each objective',
    columns: [{ title: 'figure' }, ...objectives.map((title) => ({ title, isNumber: true }))],
    rows: planSums.map((row) => [row.name, ...objectives.map((one) => text(row, one))]),
  };
}

function nodeTable({ nodes, plans, policy }: PlanComparison): PageTable {
  const chosen = plans[policy.objective];
  const isCapped = new Set(chosen.breakerCapped);
  const some = nodes.length > mostRows ? `, the first ${mostRows} of ${nodes.length}` : '';
  const retries = (plan: Plan, index: number): string =>
    String(plan.allocations[index]?.retries ?? 0);
  return {
    caption: `Nodes in their order; failures, attempts and cost by ${policy.objective}${some}`,
    columns: [
      { title: 'node' },
      { title: 'required' },
      { title: 'one attempt fails', isNumber: true },
      ...objectives.map((objective) => ({ title: `retries, ${objective}`, isNumber: true })),
      { title: 'retries at most', isNumber: true },
      { title: 'all attempts fail', isNumber: true },
      { title: 'attempts', isNumber: true },
      { title: 'cost', isNumber: true },
    ],
    rows: nodes.slice(0, mostRows).map(({ id, required, failureRate }, index) => {
      const allocation = chosen.allocations[index];
      const cap = String(allocation?.retryCap ?? 0);
      return [
        id,
        required ? 'yes' : 'no',
        percentText(failureRate),
        ...objectives.map((objective) => retries(plans[objective], index)),
        isCapped.has(id) ? { text: `${cap}, by its breaker`, tone: 'warning' } : cap,
        percentText(allocation?.effectiveFailureRate ?? 0),
        (allocation?.expectedAttempts ?? 0).toFixed(3),
        unitsText(allocation?.expectedCostMicros ?? 0),
      ];
    }),
  };
}

function frontierTable({ frontier, policy }: PlanComparison): PageTable {
  return {
    caption: `Budgets and what they come to; where a column names no objective, by ${policy.objective}`,
    columns: [
      { title: 'budget', isNumber: true },
      ...objectives.map((objective) => ({ title: `success, ${objective}`, isNumber: true })),
      ...objectives.map((objective) => ({ title: `cost, ${objective}`, isNumber: true })),
      { title: 'cost of a success', isNumber: true },
      { title: 'latency, without backoff', isNumber: true },
      { title: 'retries used', isNumber: true },
    ],
    rows: frontier.map(({ budget, plans }) => {
      const chosen = plans[policy.objective];
      return [
        budget === policy.globalRetryBudget
          ? { text: `${budget}, the plan's`, tone: 'good' }
          : String(budget),
        ...objectives.map((objective) => percentText(plans[objective].chainSuccess)),
        ...objectives.map((objective) => unitsText(plans[objective].expectedCostMicros)),
        unitsText(chosen.costPerSuccessMicros),
        durationText(chosen.expectedLatencyMs),
        String(chosen.retriesUsed),
      ];
    }),
  };
}

function section(title: string, table: PageTable): Section {
  return { title, blocks: [{ kind: 'table', table }] };
}
