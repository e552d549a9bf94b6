import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { planPolicyDefaults } from '../../src/budget/plan.js';
import { comparePlans } from '../../src/cli/plan/compare-plans.js';
import { planPage } from '../../src/cli/plan/plan-page.js';
import { bestBudget, headOf } from '../../src/cli/plan/plan-text.js';
import { readPlanRequest } from '../../src/cli/plan/read-nodes.js';
import { renderPage } from '../../src/pages/render-page.js';
import { describePage } from '../support/describe-page.js';
import { type HoldfastEnd, runHoldfast } from '../support/holdfast-command.js';
import { readmeCommands } from '../support/readme-block.js';
import { projectFile } from '../support/root.js';
import { hostileText } from '../support/sample-page.js';

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

const node = {
  id: 'a',
  failureRate: 0.5,
  attemptCostMicros: 10,
  latencyMs: 5,
  maxRetries: 3,
  required: true,
};

describe('holdfast plan', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-plan-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

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

  it('writes a page that says how it is made again, and its plots as pictures', async () => {
    const [html, png] = [join(folder, 'plan.html'), join(folder, 'plots')];
    const options = ['--budget', '6', '--objective', 'chain-success'];
    const written = ['--html', html, '--png', png];
    const { code, stdout, stderr } = await plan([node], ...options, ...written);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /\nWritten: .*plan\.html\nWritten: .*01-.*\nWritten: .*02-.*\n$/);
    const page = await readFile(html, 'utf8');
    assert.match(page, /<code>holdfast plan - --budget 6 --objective chain-success<\/code>/);
    const pictures = await readdir(png);
    assert.equal(pictures.length, 2);
    const first = await readFile(join(png, pictures[0] ?? ''));
    assert.equal(first.subarray(1, 4).toString('latin1'), 'PNG');
  });

  it('says which budget is cheapest only of those that it compares', () => {
    const request = { nodes: [node], policy: { ...planPolicyDefaults, globalRetryBudget: 9 } };
    assert.equal(
      bestBudget(comparePlans(request)),
      'Of these budgets a success costs least with 0: 0.000020, at 50.000 % success.',
    );
    const dear = { ...node, id: 'b', attemptCostMicros: 1_000_000, failureRate: 0.01 };
    const two = { nodes: [node, dear], policy: request.policy };
    assert.match(bestBudget(comparePlans(two, 1)), / with 1: .* It may cost less with more: /);
    assert.doesNotMatch(bestBudget(comparePlans(two)), /more/);
  });

  it('says in words that breakers never open, however the file says it', () => {
    for (const threshold of ['Infinity', Number.POSITIVE_INFINITY] as const) {
      const policy = { ...planPolicyDefaults, consecutiveFailureThreshold: threshold };
      assert.match(headOf(comparePlans({ nodes: [node], policy })), /breakers that never open,/);
    }
  });

  it('runs as the README shows it', async () => {
    for (const line of readmeCommands('plan')) {
      const [, , ...args] = line.split(/\s+/);
      const placed = args.map((arg) =>
        arg.startsWith('examples/')
          ? projectFile(arg)
          : arg.endsWith('.html')
            ? join(folder, arg)
            : arg,
      );
      const { code, stdout, stderr } = await runHoldfast(placed);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /refund_order/);
    }
    assert.ok((await readdir(folder)).includes('support.html'));
  });
});

describePage('the page of a plan', async () => {
  const { nodes, policy } = await readPlanRequest(projectFile('examples/plan/support.json'), {});
  const capped = { ...node, id: hostileText, maxRetries: 9 };
  const comparison = comparePlans({ nodes: [...nodes, capped], policy });
  return renderPage(planPage(comparison, `holdfast plan '${hostileText}'`));
});
