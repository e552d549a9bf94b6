import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { planRetryBudget } from '../../src/budget/index.js';
import { scanForRetries } from '../../src/lab/bench/planner-scan.js';
import { check } from '../../src/lab/bench/result.js';
import { quantileOf, ratioOf, spreadOf, turned } from '../../src/lab/bench/statistics.js';
import { projectFile } from '../support/root.js';

type Report = {
  readonly quick: boolean;
  readonly results: readonly {
    readonly id: string;
    readonly measures: readonly { readonly [field: string]: unknown }[];
    readonly notes: readonly string[];
    readonly checks: readonly { readonly name: string; readonly holds: boolean }[];
  }[];
  readonly missed: readonly string[];
};

type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

function bench(...args: readonly string[]): Promise<Ended> {
  return benchWith({}, args);
}

function benchWith(settings: NodeJS.ProcessEnv, args: readonly string[]): Promise<Ended> {
  const main = projectFile('dist', 'src/lab/bench/main.js');
  const env = { ...process.env, ...settings };
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** Quick runs aren't judged by their times, so that they may run beside one another. */
describe('the benchmarks', { concurrency: 2 }, () => {
  it('print one JSON value with every figure and bound', async () => {
    const { code, stdout } = await bench('--quick', '--json', '--only', 'a,c,d,j');
    const report = JSON.parse(stdout) as Report; // its shape is what the rest asserts
    assert.equal(report.quick, true);
    assert.deepEqual(
      report.results.map(({ id }) => id),
      ['a', 'c', 'd', 'j'],
    );
    for (const { measures } of report.results) {
      assert.ok(measures.length > 0);
      for (const measure of measures) {
        assert.deepEqual(Object.keys(measure).sort(), [
          'high',
          'low',
          'median',
          'name',
          'rounds',
          'unit',
        ]);
        assert.ok(Number.isFinite(measure.median), `${measure.name} has a figure`);
      }
    }
    const missed = report.results.flatMap(({ checks }) => checks.filter(({ holds }) => !holds));
    assert.deepEqual(
      report.missed,
      missed.map(({ name }) => name),
    );
    assert.equal(code, 0, 'a quick run shows its bounds, and is not judged by them');
  });

  it('measure SQLite alone where there is no PostgreSQL, and say why', async () => {
    const nowhere = { HOLDFAST_POSTGRES_BIN: projectFile('no-such-folder') };
    const { code, stdout, stderr } = await benchWith(nowhere, ['--quick', '--json', '--only', 'd']);
    assert.equal(code, 0, stderr);
    const [result] = (JSON.parse(stdout) as Report).results;
    const names = result?.measures.map(({ name }) => String(name)) ?? [];
    assert.ok(names.some((name) => name.includes('SQLite')));
    assert.ok(!names.some((name) => name.includes('PostgreSQL')));
    assert.match(result?.notes[0] ?? '', /^PostgreSQL is not measured\. .*HOLDFAST_POSTGRES_BIN/);
  });

  it('say what they take', async () => {
    const { code, stdout } = await bench('--help');
    assert.equal(code, 0);
    assert.match(stdout, /--only <letters>/);
  });

  it('run a batch over a file, whose items all have their answer', async () => {
    const { code, stdout, stderr } = await bench('--quick', '--json', '--only', 'h');
    assert.equal(code, 0, stderr);
    const { missed, results } = JSON.parse(stdout) as Report;
    assert.deepEqual(missed, []);
    assert.deepEqual(
      results[0]?.measures.map(({ name }) => name),
      ['batch', 'started by a client', 'runs of the batch by continue-as-new'],
    );
  });

  it('call a healthy downstream in calm and beside one that hangs', async () => {
    const { code, stdout, stderr } = await bench('--quick', '--json', '--only', 'g');
    assert.equal(code, 0, stderr);
    const { results } = JSON.parse(stdout) as Report;
    const medians = results[0]?.measures.map(({ median }) => median) ?? [];
    assert.equal(medians.length, 5);
    assert.ok(medians.every(Number.isFinite), 'each has a figure');
  });

  it('refuse a benchmark that does not exist', async () => {
    const { code, stderr } = await bench('--only', 'a,x');
    assert.equal(code, 2);
    assert.match(stderr, /--only must name a, b, .*, got "x"/);
  });

  it('scan for the retries that the planner hands out', () => {
    const nodes = [0.5, 0.2, 0.9, 0.2].map((failureRate, index) => ({
      id: `node-${index}`,
      failureRate,
      attemptCostMicros: index === 3 ? 1 : 2,
      latencyMs: 0,
      maxRetries: 3,
      required: index !== 2,
    }));
    const { allocations } = planRetryBudget(nodes, {
      globalRetryBudget: 10,
      consecutiveFailureThreshold: Number.POSITIVE_INFINITY,
      halfOpenAfterCalls: 1,
    });
    assert.deepEqual(
      scanForRetries(nodes, 10),
      allocations.map(({ retries }) => retries),
    );
  });
});

describe('the statistics of a benchmark', () => {
  it('take median and quartiles between the rounds', () => {
    assert.deepEqual(spreadOf([4, 1, 3, 2]), { median: 2.5, low: 1.75, high: 3.25, rounds: 4 });
  });

  it('lay a quantile between the values beside it', () => {
    assert.equal(quantileOf([30, 10, 20], 0.75), 25);
    assert.ok(Number.isNaN(quantileOf([], 0.95)));
  });

  it('compare round by round', () => {
    assert.equal(ratioOf([2, 20, 6], [1, 10, 2]).median, 2);
  });

  it('let every side begin in its turn', () => {
    assert.deepEqual(
      [0, 1, 2, 3].map((round) => turned(['a', 'b', 'c'], round)[0]),
      ['a', 'b', 'c', 'a'],
    );
  });

  it('call a bound without a figure missed', () => {
    assert.equal(
      check({ name: 'ratio', value: Number.NaN, rule: 'at most', limit: 1 }).holds,
      false,
    );
  });
});
