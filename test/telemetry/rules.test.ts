import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { InvalidRequestError } from 'holdfast';
import { installTelemetry } from 'holdfast/telemetry';
import { projectFile } from '../support/root.js';

const rules = readdirSync(projectFile('deploy/prometheus/rules')).map((name) =>
  projectFile('deploy/prometheus/rules', name),
);
const tests = readdirSync(projectFile('deploy/prometheus/tests')).map((name) =>
  projectFile('deploy/prometheus/tests', name),
);

describe("Prometheus's own tool", () => {
  for (const [claim, args] of [
    ['accepts the settings', ['check', 'config', projectFile('deploy/prometheus/prometheus.yml')]],
    ['accepts the rules, which keep to its habits', ['check', 'rules', '--lint-fatal', ...rules]],
    ['sees every alert fire where it should, and nowhere else', ['test', 'rules', ...tests]],
  ] as const) {
    it(claim, () => {
      const { status, stdout, stderr, error } = spawnSync('promtool', args, { encoding: 'utf8' });
      assert.equal(
        error,
        undefined,
        'promtool is not on the PATH (Debian: apt-get install prometheus)',
      );
      assert.equal(status, 0, stdout + stderr);
    });
  }
});

describe('an address that metrics cannot be exported to', () => {
  for (const [field, value] of [
    ['prometheus', 'localhost:9464'],
    ['prometheus', '127.0.0.1'],
    ['prometheus', '127.0.0.1:70000'],
    ['prometheus', ''],
    ['otlp', 'collector:4317'],
    ['otlp', 'file:///tmp/metrics'],
  ] as const) {
    it(`is refused by name: ${field} ${JSON.stringify(value)}`, () => {
      const target = field === 'otlp' ? { otlp: value } : { prometheus: value };
      assert.throws(
        () => installTelemetry(target),
        (error: unknown) => {
          assert.ok(error instanceof InvalidRequestError);
          assert.equal(error.field, field);
          assert.equal(error.value, value);
          return true;
        },
      );
    });
  }
});
