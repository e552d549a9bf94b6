import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { type HoldfastEnd, runHoldfast } from '../support/holdfast-command.js';
import { readmeCommands } from '../support/readme-block.js';
import { projectFile } from '../support/root.js';

type Vector = {
  readonly name: string;
  readonly nodes: object[];
  readonly policy: object;
  readonly plan: object;
};

// test/vectors/README.md says what stands in it
const vectors = JSON.parse(readFileSync(projectFile('test/vectors/planner.json'), 'utf8')) as {
  readonly plans: readonly Vector[];
};

function plan(input: unknown, ...args: readonly string[]): Promise<HoldfastEnd> {
  return runHoldfast(['plan', '-', ...args], { input: JSON.stringify(input) });
}

describe('holdfast plan', () => {
  for (const { name, nodes, policy, plan: right } of vectors.plans.slice(0, 4)) {
    it(`prints the exact plan as JSON: ${name}`, async () => {
      const { code, stdout, stderr } = await plan({ nodes, policy }, '--json');
      assert.equal(code, 0, stderr);
      const { plans } = JSON.parse(stdout);
      for (const [field, value] of Object.entries(right)) {
        assert.deepEqual(plans['absolute-gain'][field], value, field);
      }
    });
  }

  const node = {
    id: 'a',
    failureRate: 0.5,
    attemptCostMicros: 10,
    latencyMs: 5,
    maxRetries: 3,
    required: true,
  };

  it('takes a bare list, lets options go before the file’s policy, and shows both objectives and the frontier', async () => {
    const { code, stdout } = await plan(
      [node, { ...node, id: 'b', failureRate: 0.1 }],
      '--budget',
      '2',
      '--threshold',
      'Infinity',
    );
    assert.equal(code, 0);
    assert.match(stdout, /^2 nodes, 2 retries for the chain/);
    assert.match(stdout, /a: absolute-gain +c: chain-success/);
    assert.match(stdout, /BUDGET +SUCCESS a +SUCCESS c/);
    for (const line of stdout.split('\n')) assert.ok(line.length <= 100, line);
  });

  const wrong = [
    {
      input: { nodes: [{ ...node, failureRate: 1.5 }] },
      says: /nodes\[0\]\.failureRate must be .*1\.5/,
    },
    { input: { nodes: [] }, says: /nodes/ },
    { input: { nodes: [node, node] }, says: /nodes\[1\]\.id/ },
    { input: { nodes: [{ ...node, maxRetry: 3 }] }, says: /maxRetry/ },
    { input: { nodes: [node], policy: { globalRetryBudget: -1 } }, says: /globalRetryBudget/ },
    { input: 'nodes', says: /nodes/ },
  ];
  for (const { input, says } of wrong) {
    it(`names what is wrong with ${JSON.stringify(input).slice(0, 60)}`, async () => {
      const { code, stdout, stderr } = await plan(input);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, says);
    });
  }

  it('runs as the README shows it', async () => {
    for (const line of readmeCommands('plan')) {
      const [, , ...args] = line.split(/\s+/);
      const placed = args.map((arg) => (arg.startsWith('examples/') ? projectFile(arg) : arg));
      const { code, stdout, stderr } = await runHoldfast(placed);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /refund_order/);
    }
  });
});
