import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reproduceCollapse } from '../../src/lab/storm/published/collapse.js';
import { reproduceContention } from '../../src/lab/storm/published/contention.js';
import { type Figure, figureOf, type Study } from '../../src/lab/storm/published/figure.js';
import {
  reproduceClients,
  reproduceFailureRate,
} from '../../src/lab/storm/published/retry-load.js';
import { resilienceRow } from '../support/vectors.js';

type Pair = readonly [number, number];

/** The pairs of figures that a study is compared by, without those of holdfast's own strategies. */
function publishedIn({ figures }: Study): readonly (number | undefined)[] {
  return figures.filter(({ verdict }) => verdict !== 'ours').map(({ published }) => published);
}

function assertReproduced({ figures }: Study): void {
  const apart = figures.filter(({ verdict }) => verdict === 'apart');
  assert.deepEqual(apart, []);
}

function figure({ figures }: Study, name: string): Figure {
  const found = figures.find((one) => one.name === name);
  assert.ok(found, name);
  return found;
}

describe('published simulations, run again', () => {
  it('V96: 100 clients contend for a row as long, and with as many calls, as published', async () => {
    type Row = { readonly expected: Readonly<Record<string, Pair>> };
    const study = await reproduceContention({ seed: 1, runs: 40 });
    assert.deepEqual(publishedIn(study), Object.values(resilienceRow<Row>('V96').expected).flat());
    assertReproduced(study);
    assert.ok(study.figures.every(({ verdict }) => verdict === 'within-5-percent'));
  });

  it('V97: retries load a failing server as published, and a budget of holdfast bounds it', async () => {
    type Row = { readonly expected: Readonly<Record<string, readonly Pair[]>> };
    const study = await reproduceFailureRate({ seed: 1, runs: 1 });
    assert.deepEqual(publishedIn(study), Object.values(resilienceRow<Row>('V97').expected).flat(2));
    assertReproduced(study);
    const ours = figure(study, 'holdfast, a ratio for the fleet, 50 % fail: load');
    assert.ok(ours.mean < 1.12, `${ours.mean}`);
  });

  it('V98: budgets of many small clients stop binding as published, and that of the fleet binds', async () => {
    type Row = {
      readonly expected: Readonly<Record<string, Readonly<Record<'10' | '100' | '1000', Pair>>>>;
    };
    const study = await reproduceClients({ seed: 1, runs: 3 });
    const rows = Object.values(resilienceRow<Row>('V98').expected);
    assert.deepEqual(publishedIn(study), rows.flatMap((row) => Object.values(row)).flat());
    assertReproduced(study);
    for (const clients of [10, 100, 1_000]) {
      const ours = figure(study, `holdfast, a ratio for the fleet, ${clients} clients: load`);
      assert.ok(ours.mean < 1.12, `${clients}: ${ours.mean}`);
    }
  });

  it('V99: a spike leaves most runs without backoff collapsed, and none with jittered backoff', async () => {
    const study = await reproduceCollapse({ seed: 1, runs: 16 });
    type Row = { readonly expected: { readonly retries_total: Pair } };
    const [collapsing, recovering] = resilienceRow<Row>('V99').expected.retries_total;
    assert.deepEqual(publishedIn(study), [8.5, collapsing, 40, recovering]); // "8-9" and "~40"
    assertReproduced(study);
    const lost = (name: string) => figure(study, `${name}: runs with less than half answered`).mean;
    assert.ok(lost('no backoff, three attempts') > 50);
    assert.equal(lost('full jitter over 20 and 40 s, three attempts'), 0);
    assert.equal(lost('holdfast, bounded'), 0);
  });
});

describe('a figure', () => {
  const values = [90, 110, 90, 110];
  const base = { name: 'load', unit: 'times', publishedRuns: 1 } as const;

  it('comes out within 5 %, within the noise of the runs, or apart', () => {
    const steady = [100, 100.1, 99.9];
    assert.equal(figureOf({ ...base, values, published: 105 }).verdict, 'within-5-percent');
    assert.equal(figureOf({ ...base, values, published: 120 }).verdict, 'within-noise');
    assert.equal(figureOf({ ...base, values, published: 150 }).verdict, 'apart');
    assert.equal(figureOf({ ...base, values: steady, published: 110 }).verdict, 'apart');
    assert.equal(figureOf({ ...base, values: steady }).verdict, 'ours');
  });

  it('has the deviation of one run', () => {
    const { mean, deviation, runs } = figureOf({ ...base, values });
    assert.equal(mean, 100);
    assert.ok(Math.abs(deviation - 11.547) < 0.001);
    assert.equal(runs, 4);
  });
});
