import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { recoveryOf } from '../../src/lab/storm/recovery.js';
import { checkScenario, type Scenario, scenarioDefaults } from '../../src/lab/storm/scenario.js';
import { simulate } from '../../src/lab/storm/simulate.js';
import { runStorm, type StormRun } from '../../src/lab/storm/storm.js';
import { scenarioText } from '../../src/lab/storm/storm-page.js';
import {
  type StrategyName,
  strategies,
  strategyNames,
} from '../../src/lab/storm/strategies/named.js';
import type { Second } from '../../src/lab/storm/tally.js';
import { projectFile } from '../support/root.js';

const calm: Scenario = {
  ...scenarioDefaults,
  callsPerSecond: 50,
  surge: { calls: 0, everySeconds: 1 },
  seconds: 20,
  failureShare: 0,
  outage: { fromSecond: 0, seconds: 0, capacityShare: 1 },
};

/** Scenarios small enough to run by the dozen, the odd ones included. */
const anyScenario: fc.Arbitrary<Scenario> = fc.record({
  seed: fc.nat(),
  clients: fc.constantFrom(1, 3, 50),
  callsPerSecond: fc.double({ min: 1, max: 120, noNaN: true }),
  surge: fc.record({ calls: fc.constantFrom(0, 1, 60), everySeconds: fc.constantFrom(0.5, 2) }),
  seconds: fc.integer({ min: 1, max: 8 }),
  capacityPerSecond: fc.double({ min: 1, max: 200, noNaN: true }),
  serviceMs: fc.double({ min: 1, max: 500, noNaN: true }),
  queue: fc.constantFrom(0, 1, 20, 1_000),
  refusalShare: fc.constantFrom(0, 0.2, 1),
  failureShare: fc.constantFrom(0, 0.3, 1),
  timeoutMs: fc.constantFrom(1, 300, 5_000),
  attempts: fc.integer({ min: 1, max: 8 }),
  outage: fc.record({
    fromSecond: fc.constantFrom(0, 1.5),
    seconds: fc.constantFrom(0, 3),
    capacityShare: fc.constantFrom(0, 0.4),
  }),
});

async function run(scenario: Scenario, name: StrategyName): Promise<StormRun> {
  const { runs } = await runStorm({ scenario, names: [name] });
  const [first] = runs;
  assert.ok(first);
  return first;
}

describe('a storm', () => {
  it('ends each call once, whatever the scenario and the strategy', async () => {
    const anyCase = fc.record({ scenario: anyScenario, name: fc.constantFrom(...strategyNames) });
    await fc.assert(
      fc.asyncProperty(anyCase, async ({ scenario, name }) => {
        const { totals, seconds } = await run(scenario, name);
        const { refused, timeout, failure, rejected } = totals.errors;
        assert.equal(totals.answered + refused + timeout + failure + rejected, totals.calls);
        const sum = (figure: (second: Second) => number) =>
          seconds.reduce((total, second) => total + figure(second), 0);
        assert.equal(
          sum(({ begun }) => begun),
          totals.calls,
        );
        assert.equal(
          sum(({ attempts }) => attempts),
          totals.attempts,
        );
        assert.equal(
          sum(({ answered }) => answered),
          totals.answered,
        );
        assert.equal(
          sum(({ failed }) => failed),
          totals.calls - totals.answered,
        );
        const { maxAttempts } = strategies[name].create(scenario.attempts);
        assert.ok(totals.attempts <= totals.calls * maxAttempts);
        assert.ok(totals.answered <= totals.attempts);
      }),
      { numRuns: 120 },
    );
  });

  it('comes out the same for the same seed, and not for another', async () => {
    for (const name of ['full', 'fleet', 'breaker'] as const) {
      const short = { ...scenarioDefaults, seconds: 15 };
      const once = await run(short, name);
      assert.deepEqual(await run(short, name), once);
      assert.notDeepEqual((await run({ ...short, seed: 2 }, name)).seconds, once.seconds);
    }
  });

  it('meets each strategy with the same calls', async () => {
    const { runs } = await runStorm({
      scenario: { ...scenarioDefaults, seconds: 10 },
      names: ['fixed', 'breaker', 'no-wait'],
    });
    const begun = runs.map(({ seconds }) => seconds.slice(0, 10).map((second) => second.begun));
    assert.deepEqual(begun[1], begun[0]);
    assert.deepEqual(begun[2], begun[0]);
  });

  it('is none where the downstream keeps up: each call is answered at once', async () => {
    for (const name of strategyNames) {
      const { totals } = await run(calm, name);
      assert.equal(totals.attempts, totals.calls, name);
      assert.equal(totals.answered, totals.calls, name);
    }
  });

  it('loads the downstream by the geometric series where half of the attempts fail', async () => {
    const { totals } = await run({ ...calm, failureShare: 0.5, seconds: 200, attempts: 4 }, 'full');
    assert.ok(Math.abs(totals.amplification - 1.875) < 0.03, `${totals.amplification}`);
    assert.ok(Math.abs(totals.errorShare - 1 / 16) < 0.01, `${totals.errorShare}`);
  });

  it('takes as long as a queue of one place says, by Pollaczek and Khinchine', async () => {
    const one = { callsPerSecond: 50, capacityPerSecond: 100, serviceMs: 10, queue: 100_000 };
    const { tally } = await simulate(
      { ...calm, ...one, timeoutMs: 60_000, seconds: 2_000 },
      strategies.full.create(1),
    );
    // half loaded, with exponential services: the time in it is exponential with a mean of 20 ms
    assert.ok(Math.abs(tally.totals().p50Ms - 20 * Math.LN2) < 0.5, `${tally.totals().p50Ms}`);
    const p99Ms = 20 * Math.log(100);
    assert.ok(Math.abs(tally.totals().p99Ms - p99Ms) < 4, `${tally.totals().p99Ms}`);
  });

  it('keeps the retries of a fleet at a tenth of its calls', async () => {
    const many = { ...scenarioDefaults, clients: 300, surge: { calls: 0, everySeconds: 1 } };
    const { totals } = await run(many, 'fleet');
    assert.ok(totals.amplification < 1.12, `${totals.amplification}`);
    const alone = await run(many, 'bounded');
    assert.ok(alone.totals.amplification > totals.amplification);
  });

  it('by default has errors and p99 falling from none over full jitter to bounded with a breaker', async () => {
    for (const seed of [1, 2, 3]) {
      const { runs } = await runStorm({
        scenario: { ...scenarioDefaults, seed },
        names: ['none', 'full', 'breaker'],
      });
      const [none, full, breaker] = runs.map(({ totals }) => totals);
      assert.ok(none && full && breaker);
      assert.ok(none.p99Ms > full.p99Ms && full.p99Ms > breaker.p99Ms, `seed ${seed}`);
      assert.ok(none.errorShare > full.errorShare * 1.05, `seed ${seed}`);
      assert.ok(full.errorShare > breaker.errorShare * 1.2, `seed ${seed}`);
    }
  });

  it('has a million clients in 500 MB', async () => {
    const script = projectFile('dist/src/cli/main.js');
    const rates = ['--rate', '100000', '--capacity', '150000', '--queue', '10000', '--surge', '0'];
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--max-old-space-size=450',
      script,
      ...['storm', '--clients', '1000000', ...rates, '--duration', '10', '--json'],
      ...['--outage-from', '3', '--outage', '2', '--strategy', 'bounded'],
    ]);
    // the command's own JSON
    const { runs } = JSON.parse(stdout) as { readonly runs: readonly StormRun[] };
    const calls = runs[0]?.totals.calls ?? 0;
    assert.ok(Math.abs(calls - 1_000_000) < 5_000, `${calls}`);
  });
});

describe('recovery', () => {
  const second = (answered: number): Second => {
    return { begun: 100, attempts: 100, answered, failed: 0, p99Ms: 1, held: 0 };
  };
  const scenario = {
    ...calm,
    seconds: 20,
    outage: { fromSecond: 3, seconds: 4, capacityShare: 0 },
  };
  const series = (...answers: readonly number[]) => answers.map(second);

  it('is when nine tenths of the answers are back, and stay for a while', () => {
    const ran = series(...[100, 100, 100], ...[0, 0, 0, 0], ...[0, 99, 0], ...Array(10).fill(91));
    assert.deepEqual(recoveryOf(scenario, ran), { kind: 'recovered', afterSeconds: 3 });
  });

  it('is none of a downstream that stays down, or was down before', () => {
    const down = series(...[100, 100, 100], ...Array(17).fill(50));
    assert.deepEqual(recoveryOf(scenario, down), { kind: 'collapsed' });
    assert.deepEqual(recoveryOf(scenario, series(...Array(20).fill(40))), { kind: 'collapsed' });
  });

  it('is not told of where the run ends too early', () => {
    const ran = series(...Array(20).fill(100));
    const outage = { ...scenario.outage, seconds: 15 };
    assert.deepEqual(recoveryOf({ ...scenario, outage }, ran), { kind: 'too-short' });
    const surge = { calls: 1, everySeconds: 7 };
    assert.deepEqual(recoveryOf({ ...scenario, surge }, ran), { kind: 'too-short' });
  });

  it('is not asked for without an outage, or where nothing was before it or comes after it', () => {
    const ran = series(...Array(20).fill(100));
    for (const outage of [
      { ...scenario.outage, seconds: 0 },
      { ...scenario.outage, fromSecond: 0 },
      { ...scenario.outage, seconds: 17 },
    ]) {
      assert.deepEqual(recoveryOf({ ...scenario, outage }, ran), { kind: 'no-outage' });
    }
  });
});

describe('a scenario', () => {
  const rows: readonly (readonly [string, Partial<Scenario>])[] = [
    ['seed', { seed: -1 }],
    ['seed', { seed: 2 ** 32 }],
    ['clients', { clients: 0.5 }],
    ['callsPerSecond', { callsPerSecond: 0 }],
    ['seconds', { seconds: Number.NaN }],
    ['capacityPerSecond', { capacityPerSecond: Number.POSITIVE_INFINITY }],
    ['failureShare', { failureShare: 1.1 }],
    ['attempts', { attempts: 0 }],
    ['outage.capacityShare', { outage: { ...calm.outage, capacityShare: -0.1 } }],
    ['surge.calls', { surge: { calls: -1, everySeconds: 1 } }],
    ['calls', { callsPerSecond: 1_000_000, seconds: 86_400 }],
  ];
  for (const [field, change] of rows) {
    it(`is refused for its ${field}, with the rule and the value`, () => {
      assert.throws(() => checkScenario({ ...calm, ...change }), {
        kind: 'invalid-request',
        field,
        message: new RegExp(`^${field} must be .*, got `),
      });
    });
  }

  const inWords = (fromSecond: number): string =>
    scenarioText({
      ...scenarioDefaults,
      seconds: 20,
      outage: { ...scenarioDefaults.outage, fromSecond },
    });

  it('tells of an outage as long as the run goes on', () => {
    assert.match(inWords(10), /From second 10 to 20 it has 50/);
  });

  it('tells of no outage that would come after its end', () => {
    assert.doesNotMatch(inWords(20), /From second/);
  });
});
