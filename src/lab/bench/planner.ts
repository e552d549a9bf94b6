import assert from 'node:assert/strict';
import { type PlanNode, planRetryBudget } from '../../budget/index.js';
import { scanForRetries } from './planner-scan.js';
import { type BenchOptions, type BenchResult, check } from './result.js';
import { seededRandom } from './seeded-random.js';
import { ratioOf, spreadOf, turned } from './statistics.js';

const NODES = 1_000;
const BUDGET = 10_000;
const LEAST_RATIO = 100;
/** The planner is timed over several plans: one takes too short a time to be told from noise. */
const PLANS = 20;

/**
 * Measures the planner beside a scan that computes every gain anew for each retry: the same plans.
 * Throws AssertionError where the two hand out different retries.
 */
export async function benchPlanner({ quick, log }: BenchOptions): Promise<BenchResult> {
  const planner: number[] = [];
  const scan: number[] = [];
  const rounds = quick ? 3 : 15;
  warmUp();
  for (let round = 0; round < rounds; round++) {
    log(`(a) round ${round + 1} of ${rounds}`);
    const nodes = chain(round + 1);
    let planned: readonly number[] = [];
    let scanned: readonly number[] = [];
    const sides = [
      () => {
        planner.push(timed(() => (planned = planRetries(nodes)), PLANS));
      },
      () => {
        scan.push(timed(() => (scanned = scanForRetries(nodes, BUDGET)), 1));
      },
    ];
    for (const side of turned(sides, round)) side();
    assert.deepEqual(planned, scanned, 'planner and scan hand out the same retries');
  }
  const faster = ratioOf(scan, planner);
  return {
    id: 'a',
    title: `planner: ${NODES} nodes, a budget of ${BUDGET} retries`,
    measures: [
      { name: 'planRetryBudget', unit: 'ms', ...spreadOf(planner) },
      { name: 'scan, every gain anew each round', unit: 'ms', ...spreadOf(scan) },
      { name: 'scan / planner', unit: 'times', ...faster },
    ],
    checks: [
      check({
        name: 'planner faster than the scan',
        value: faster.median,
        rule: 'at least',
        limit: LEAST_RATIO,
      }),
    ],
    notes: [
      'Every round is another random chain; both sides handed out the same retries in each.',
      'The planner also checks its input and computes what to expect of the chain; the scan does not.',
    ],
  };
}

function planRetries(nodes: readonly PlanNode[]): readonly number[] {
  const plan = planRetryBudget(nodes, {
    globalRetryBudget: BUDGET,
    consecutiveFailureThreshold: Number.POSITIVE_INFINITY,
    halfOpenAfterCalls: 3,
  });
  return plan.allocations.map(({ retries }) => retries);
}

function chain(seed: number): readonly PlanNode[] {
  const random = seededRandom(seed);
  return Array.from({ length: NODES }, (_, index) => ({
    id: `node-${index}`,
    failureRate: 0.05 + 0.9 * random(),
    attemptCostMicros: Math.floor(5_000 * random()),
    latencyMs: Math.floor(500 * random()),
    maxRetries: 40,
    required: random() < 0.8,
  }));
}

function warmUp(): void {
  const nodes = chain(0);
  for (let plan = 0; plan < PLANS; plan++) planRetries(nodes);
  scanForRetries(nodes, BUDGET / 10);
}

/** Returns the milliseconds of one run. */
function timed(run: () => unknown, runs: number): number {
  const startedAt = performance.now();
  for (let done = 0; done < runs; done++) run();
  return (performance.now() - startedAt) / runs;
}
