import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { WorkerOptions } from '@temporalio/worker';
import { holdfast, InvalidRequestError, implementTool, UngovernedBundleError } from 'holdfast';
import { openSqlite } from 'holdfast/ledger';
import { linesOf } from '../contract/faults.js';
import { projectFile } from '../support/root.js';
import { implementations } from './fixture/implementations.js';
import { refund } from './fixture/tools.js';

const ledger = await openSqlite({ path: ':memory:' });
const queue = { taskQueue: 'q' } as const;
const gated = { code: 'the gate says holdfast-gate-v1' };

/** Applies a plugin to a worker's options as often as the SDK does. */
async function configure(
  plugin: ReturnType<typeof holdfast>,
  options: Partial<WorkerOptions> = {},
  times = 1,
): Promise<WorkerOptions> {
  let configured: WorkerOptions = { ...queue, ...options };
  for (let time = 0; time < times; time += 1) configured = await plugin.configureWorker(configured);
  return configured;
}

async function faultLines(configured: Promise<unknown>): Promise<string[]> {
  const error: unknown = await configured.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof InvalidRequestError, String(error));
  return linesOf(error.faults);
}

/** Activities of holdfast's own, which every worker with activities has. */
const builtIn = ['holdfast_spent_budget', 'holdfast_load_policy', 'holdfast_read_items'];

describe('the plugin at a worker', () => {
  it('adds the tools, the interceptor and the sink', async () => {
    const configured = await configure(holdfast({ implementations, ledger }));
    assert.deepEqual(Object.keys(configured.activities ?? {}), ['refund_order', ...builtIn]);
    assert.equal(configured.interceptors?.activity?.length, 1);
    assert.deepEqual(Object.keys(configured.sinks ?? {}), ['holdfast']);
  });

  it('adds them once, although connection and worker both apply it', async () => {
    const configured = await configure(holdfast({ implementations, ledger }), {}, 2);
    assert.equal(configured.interceptors?.activity?.length, 1);
    assert.deepEqual(Object.keys(configured.activities ?? {}), ['refund_order', ...builtIn]);
  });

  it('keeps what the user gave', async () => {
    const own = async (): Promise<void> => {};
    const interceptor = (): object => ({});
    const configured = await configure(holdfast({ implementations, ledger }), {
      activities: { own },
      interceptors: { activity: [interceptor] },
      sinks: { mine: { say: { fn: () => {} } } },
    });
    assert.deepEqual(Object.keys(configured.activities ?? {}), ['own', 'refund_order', ...builtIn]);
    assert.equal(configured.interceptors?.activity?.length, 2);
    assert.equal(configured.interceptors.activity[0], interceptor);
    assert.deepEqual(Object.keys(configured.sinks ?? {}), ['holdfast', 'mine']);
  });

  it('refuses writes without a ledger, and names them', async () => {
    await assert.rejects(configure(holdfast({ implementations })), {
      kind: 'ledger-missing',
      writes: ['refund_order'],
      message: /refund_order.*holdfast\(\{ ledger \}\)/,
    });
  });

  it('refuses plain activities that the policy names writes without a ledger', async () => {
    const policyModule = projectFile('dist', 'test', 'effects', 'fixture', 'policy-module.js');
    const activities = { charge: async () => ({ charge: 1 }) };
    await assert.rejects(configure(holdfast({ policyModule }), { activities }), {
      kind: 'ledger-missing',
      writes: ['charge'],
    });
    await configure(holdfast({ policyModule }), { activities: { other: async () => {} } });
  });

  it('refuses two tools of one name', async () => {
    const again = implementTool(refund, async () => ({ refundId: 'x' }));
    const plugin = holdfast({ implementations: [...implementations, again], ledger });
    assert.deepEqual(await faultLines(configure(plugin)), [
      'implementations[1].tool.name must differ from the names of the other activities',
    ]);
  });

  it('refuses a tool with the name of an activity of the user’s', async () => {
    const activities = { refund_order: async (): Promise<void> => {} };
    assert.deepEqual(
      await faultLines(configure(holdfast({ implementations, ledger }), { activities })),
      ['implementations[0].tool.name must differ from the names of the other activities'],
    );
  });

  it('refuses a policy module with faults, and names each', async () => {
    const policyModule = projectFile('dist', 'test/plugin/fixture/faulty-policy.js');
    assert.deepEqual(await faultLines(configure(holdfast({ policyModule }))), [
      'policy.globalRetryBudget must be a non-negative integer',
      'policy.breaker.consecutiveFailureThreshold must be a positive integer',
    ]);
  });

  it('refuses a policy module that doesn’t exist', async () => {
    const policyModule = projectFile('dist', 'test/plugin/fixture/no-policy.js');
    await assert.rejects(configure(holdfast({ policyModule })), /no-policy/);
  });
});

describe('a prepared bundle', () => {
  const bare = { code: 'module.exports = {}' };

  it('is taken where it holds the gate', async () => {
    await assert.doesNotReject(configure(holdfast(), { workflowBundle: gated }));
  });

  it('is refused by the worker where it was built without the plugin', async () => {
    await assert.rejects(configure(holdfast(), { workflowBundle: bare }), (error: unknown) => {
      assert.ok(error instanceof UngovernedBundleError);
      assert.equal(error.kind, 'ungoverned-bundle');
      assert.match(error.message, /pass the plugin to bundleWorkflowCode as well/);
      return true;
    });
  });

  it('is refused by the worker where it stands in a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-bundle-'));
    try {
      const codePath = join(folder, 'bundle.js');
      await writeFile(codePath, bare.code);
      const workflowBundle = { codePath, sourceMapPath: codePath };
      await assert.rejects(configure(holdfast(), { workflowBundle }), UngovernedBundleError);
      await writeFile(codePath, gated.code);
      await assert.doesNotReject(configure(holdfast(), { workflowBundle }));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is refused by a replay as well', async () => {
    const replay = { workflowBundle: bare };
    await assert.rejects(
      async () => holdfast().configureReplayWorker(replay),
      UngovernedBundleError,
    );
  });
});

describe('the plugin at the bundler', () => {
  const policyModule = '/app/policy.js';
  const others = ['/app/first.js', '/app/second.js'];

  it('puts the gate last, nearest to Temporal, and the policy before it', () => {
    const bundle = { workflowsPath: 'w.js', workflowInterceptorModules: others };
    const { workflowInterceptorModules = [] } = holdfast({ policyModule }).configureBundler(bundle);
    assert.deepEqual(workflowInterceptorModules.slice(0, 3), [...others, policyModule]);
    assert.match(String(workflowInterceptorModules[3]), /interceptors\.js$/);
  });

  it('puts them in once, although it is applied twice', () => {
    const plugin = holdfast({ policyModule });
    const once = plugin.configureBundler({ workflowsPath: 'w.js' });
    assert.deepEqual(plugin.configureBundler(once), once);
  });
});

describe('the plugin at a client', () => {
  it('adds its interceptor once, although connection and client both apply it', () => {
    const plugin = holdfast();
    const once = plugin.configureClient({});
    assert.deepEqual(
      once.interceptors?.workflow,
      plugin.configureClient(once).interceptors?.workflow,
    );
    assert.ok(
      Array.isArray(once.interceptors?.workflow) && once.interceptors.workflow.length === 1,
    );
  });

  it('keeps the interceptors that the user gave', () => {
    const mine = {};
    const { interceptors } = holdfast().configureClient({ interceptors: { workflow: [mine] } });
    assert.ok(Array.isArray(interceptors?.workflow));
    assert.equal(interceptors.workflow[0], mine);
    assert.equal(interceptors.workflow.length, 2);
  });
});
