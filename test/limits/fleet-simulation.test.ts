import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRetryBudget } from '../../src/limits/create-retry-budget.js';
import type { FleetStore } from '../../src/limits/fleet-store.js';
import { createMemoryFleetStore } from '../../src/limits/memory-fleet-store.js';
import {
  distant,
  type FleetRun,
  loadFactor,
  ruleOfBudget,
  simulatedRatio,
  tokenBucketRule,
} from '../support/fleet-simulation.js';
import { resilienceRow } from '../support/vectors.js';

const sizes = [10, 100, 1_000] as const;
const seeds = [1, 2] as const;
const storeAnswersMs = 4;

const ours = {
  callsPerSecond: 100,
  failureShare: 0.5,
  seconds: 40,
  retriesOfCall: 3,
  backoffMs: 200,
  measureAfter: simulatedRatio.minSamples,
  beginsAtOnce: false,
};

function fleet(answerMs: number): FleetRun['ruleOf'] {
  let store: FleetStore | undefined;
  return (time) => {
    const now = () => time.nowMs;
    store ??= distant(createMemoryFleetStore({ now }), time, answerMs);
    // the clock of the machine, which ends waits for a store, has nothing to do with the clients' own
    const answerWithinMs = 600_000;
    return ruleOfBudget(createRetryBudget({ store, now, answerWithinMs }));
  };
}

const alone: FleetRun['ruleOf'] = (time) =>
  ruleOfBudget(createRetryBudget({ now: () => time.nowMs }));

async function factors(clients: number, run: Omit<FleetRun, 'clients' | 'seed'>) {
  return Promise.all(seeds.map((seed) => loadFactor({ ...run, clients, seed })));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

describe('100 calls a second of which half of the attempts fail, over 10, 100 and 1,000 clients', () => {
  for (const clients of sizes) {
    it(`load the downstream at most 1.12 times where ${clients} share a budget, and use it`, async () => {
      const loads: number[] = [];
      for (const seed of seeds) {
        loads.push(await loadFactor({ ...ours, clients, seed, ruleOf: fleet(storeAnswersMs) }));
      }
      assert.ok(Math.max(...loads) <= 1.12, `${loads}`);
      assert.ok(Math.min(...loads) >= 1.08, `${loads}`);
    });
  }

  it('keep the bound where the store takes 100 ms to answer', async () => {
    for (const clients of sizes) {
      const load = await loadFactor({ ...ours, clients, seed: 1, ruleOf: fleet(100) });
      assert.ok(load <= 1.12 && load >= 1.05, `${clients}: ${load}`);
    }
  });

  it('keep the bound with budgets of their own where each makes 100 calls in a window', async () => {
    for (const failureShare of [0.1, 0.5]) {
      const ten = { ...ours, callsPerSecond: 200, failureShare, measureAfter: 4_000 };
      const load = await loadFactor({ ...ten, clients: 10, seed: 1, ruleOf: alone });
      assert.ok(load <= 1.12, `${failureShare}: ${load}`);
    }
  });

  it('pass it where each has a budget of its own, which 100 and 1,000 never begin to use', async () => {
    const [ten = 0, hundred = 0, thousand = 0] = await Promise.all(
      sizes.map(async (clients) => mean(await factors(clients, { ...ours, ruleOf: alone }))),
    );
    assert.ok(ten > 1.12 && ten < 1.3, `10: ${ten}`);
    // what three retries give that nobody refuses: 1 + 1/2 + 1/4 + 1/8
    assert.ok(Math.abs(hundred - 1.875) < 0.04, `100: ${hundred}`);
    assert.ok(Math.abs(thousand - 1.875) < 0.04, `1,000: ${thousand}`);
  });
});

/** How the published simulator runs its clients, with budgets of its own. */
const published = {
  seconds: 20,
  retriesOfCall: Number.POSITIVE_INFINITY,
  backoffMs: 0,
  measureAfter: 0,
  beginsAtOnce: true,
};

describe('the simulation, with the rules of a published one', () => {
  it('V98: gives its loads of 10, 100 and 1,000 clients that have a token bucket each', async () => {
    type Row = {
      readonly expected: { readonly adaptive: Readonly<Record<string, readonly [number, number]>> };
    };
    const { adaptive } = resilienceRow<Row>('V98').expected;
    const run = { ...ours, ...published, ruleOf: tokenBucketRule };
    for (const clients of sizes) {
      const load = mean(await factors(clients, run));
      const expected = adaptive[clients]?.[1] ?? Number.NaN;
      assert.ok(Math.abs(load - expected) < 0.05, `${clients}: ${load}, published ${expected}`);
    }
  });

  it('V97: gives its loads without retries, with three each, and with a token bucket', async () => {
    type Loads = readonly (readonly [number, number])[];
    type Row = {
      readonly input: { readonly p: readonly number[] };
      readonly expected: Readonly<Record<'no_retries' | 'three_retries' | 'adaptive_10pct', Loads>>;
    };
    const { input, expected } = resilienceRow<Row>('V97');
    const always = () => ({ mayRetry: () => true });
    const rules = {
      no_retries: { retriesOfCall: 0, ruleOf: always },
      three_retries: { retriesOfCall: 3, ruleOf: always },
      adaptive_10pct: { retriesOfCall: Number.POSITIVE_INFINITY, ruleOf: tokenBucketRule },
    };
    for (const name of ['no_retries', 'three_retries', 'adaptive_10pct'] as const) {
      for (const [index, failureShare] of input.p.entries()) {
        const run = { ...published, callsPerSecond: 1_000, failureShare, ...rules[name] };
        const load = await loadFactor({ ...run, clients: 100, seed: 7 });
        const published97 = expected[name][index]?.[1] ?? Number.NaN;
        assert.ok(Math.abs(load - published97) < 0.02, `${name}, ${failureShare}: ${load}`);
      }
    }
  });
});
