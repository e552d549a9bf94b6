import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { type Metric, metrics } from 'holdfast/telemetry';
import { projectFile } from '../support/root.js';

const table: readonly (readonly [string, Metric])[] = Object.entries(metrics);

describe("the README's table of metrics", () => {
  it('is the table of the code', () => {
    const readme = readFileSync(projectFile('README.md'), 'utf8');
    const rows = [...readme.matchAll(/^\| `holdfast_.*$/gm)].map(([row]) => row);
    const wanted = table.map(([name, { kind, labels, description }]) => {
      const shown = kind === 'up-down' ? 'gauge' : kind;
      return `| \`${name}\` | ${shown} | ${labels.join(', ') || '–'} | ${description} |`;
    });
    assert.deepEqual(rows, wanted);
  });

  it('names every metric as Prometheus would have it', () => {
    for (const [name, { kind, unit, description }] of table) {
      assert.match(name, /^holdfast_[a-z_]+$/);
      assert.equal(name.endsWith('_total'), kind === 'counter', name);
      assert.ok(unit !== '' && description !== '', name);
    }
  });
});
