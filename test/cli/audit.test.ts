import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Context } from '@temporalio/activity';
import { Client, Connection } from '@temporalio/client';
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
  type WorkerPlugin,
} from '@temporalio/worker';
import { holdfast, implementTool } from 'holdfast';
import { mapAtOnce } from '../../src/cli/audit/run-source.js';
import { cleanEnv, type HoldfastEnd, runHoldfast } from '../support/holdfast-command.js';
import { projectFile } from '../support/root.js';
import { startTestServer } from '../support/server.js';
import { until } from '../support/until.js';
import { readDown } from './fixture/audited-tools.js';

const answer = async (): Promise<string> => 'fine';
const activities = {
  look: answer,
  layered: answer,
  endless: answer,
  unbounded: answer,
  lengthy: answer,
  chargeCard: answer,
  forbidden: async () => {
    throw new Error('Request failed with status code 403');
  },
  flaky: async () => {
    if (Context.current().info.attempt === 1) throw new Error('socket hang up');
    return 'fine';
  },
};

/** Workflows in the namespace of faults, by type: 1,000 in all, with the children of `layers`. */
const planted = {
  layers: 60,
  retriesForEver: 60,
  waitsLong: 60,
  hearsNothing: 60,
  paysTwice: 60,
  insists: 60,
  stumbles: 60,
  believes: 20,
  tidy: 100,
  brief: 400,
};
const runs = 1_000;

let server: Awaited<ReturnType<typeof startTestServer>>;
let folder: string;
const closing: (() => Promise<void>)[] = [];
before(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') }); // each failed attempt is a warning
  server = await startTestServer({ namespaces: ['clean'] });
  folder = await mkdtemp(join(tmpdir(), 'holdfast-audit-'));
  const implementation = implementTool(readDown, async () => {
    throw Object.assign(new Error('down'), { status: 503 });
  });
  const plugin = holdfast({ implementations: [implementation] });
  const native = await NativeConnection.connect({ address: server.address });
  const connection = await Connection.connect({ address: server.address });
  const bundle = (file: string, plugins: WorkerPlugin[]) =>
    bundleWorkflowCode({
      workflowsPath: projectFile('dist/test/cli/fixture', file),
      plugins,
      logger: new DefaultLogger('ERROR'),
    });
  // without holdfast: its code would be loaded anew for each of a thousand runs
  const plain = await bundle('audited-workflows.js', []);
  const governed = await bundle('audited-governed.js', [plugin]);
  const work = async (
    namespace: string,
    taskQueue: string,
    own: { readonly workflowBundle: typeof plain; readonly plugins: WorkerPlugin[] },
  ) => {
    const worker = await Worker.create({
      connection: native,
      namespace,
      taskQueue,
      activities,
      maxConcurrentWorkflowTaskExecutions: 50,
      ...own,
    });
    const ended = worker.run();
    closing.unshift(async () => {
      worker.shutdown();
      await ended;
    });
  };
  await work('default', 'governed', { workflowBundle: governed, plugins: [plugin] });
  for (const namespace of ['default', 'clean']) {
    await work(namespace, 'plain', { workflowBundle: plain, plugins: [] });
    const client = new Client({ connection, namespace });
    const counts = namespace === 'clean' ? { tidy: 25, brief: 25 } : planted;
    const types = Object.entries(counts).flatMap(([type, count]) =>
      Array<string>(count).fill(type),
    );
    await mapAtOnce([...types.entries()], 40, async ([index, type]) => {
      const taskQueue = type === 'believes' ? 'governed' : 'plain';
      await client.workflow.start(type, { taskQueue, workflowId: `${type}-${index}` });
    });
  }
  closing.push(
    () => native.close(),
    () => connection.close(),
  );
  const { workflowService } = new Client({ connection });
  for (const [namespace, all] of [
    ['default', runs],
    ['clean', 50],
  ] as const) {
    const query = "ExecutionStatus = 'Completed'";
    await until(async () => {
      const { count } = await workflowService.countWorkflowExecutions({ namespace, query });
      return Number(count) === all;
    });
  }
});
after(async () => {
  for (const close of closing) await close();
  await server.stop();
  await rm(folder, { recursive: true });
});

function audit(...args: readonly string[]): Promise<HoldfastEnd> {
  return runHoldfast(['audit', ...args], { env: { TEMPORAL_ADDRESS: server.address } });
}

type Shown = {
  readonly runs: number;
  readonly isDone: boolean;
  readonly skipped: number;
  readonly findings: readonly {
    readonly kind: string;
    readonly subject: string;
    readonly severity: string;
    readonly examples: readonly string[];
  }[];
  readonly activities: readonly {
    readonly name: string;
    readonly calls: number;
    readonly failureRate: number;
    readonly failureInterval: { readonly low: number; readonly high: number };
  }[];
};

async function shown(...args: readonly string[]): Promise<Shown> {
  const { code, stdout, stderr } = await audit(...args, '--json');
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Shown; // the command's own JSON
}

const expected = [
  'futile-retries: forbidden',
  'layered-retries: layer',
  'unlimited-retries: endless',
  'no-start-to-close: unbounded',
  'no-heartbeat: lengthy',
  'write-without-key: chargeCard',
  'breaker-never-opened: down',
  // what these retries come to as well
  'retry-rate: forbidden',
  'retry-rate: flaky',
  'retry-rate: read_down',
];

function names({ findings }: Shown): readonly string[] {
  return findings.map(({ kind, subject }) => `${kind}: ${subject}`).sort();
}

describe('holdfast audit', () => {
  it('finds every planted fault among 1,000 workflows, and nothing else', async () => {
    const found = await shown();
    assert.equal(found.runs, runs);
    assert.deepEqual(names(found), [...expected].sort());
    assert.equal(found.findings[0]?.severity, 'high');
    assert.equal(found.findings.at(-1)?.severity, 'low');
    for (const { examples } of found.findings)
      assert.ok(examples.length > 0 && examples.length <= 10);
    const flaky = found.activities.find(({ name }) => name === 'flaky');
    assert.deepEqual([flaky?.calls, flaky?.failureRate], [60, 0.5]);
    assert.ok((flaky?.failureInterval.low ?? 0) > 0.4 && (flaky?.failureInterval.high ?? 1) < 0.6);
  });

  it('finds nothing in a clean namespace', async () => {
    const found = await shown('--namespace', 'clean');
    assert.deepEqual([found.runs, found.findings], [50, []]);
    const { stdout } = await audit('--namespace', 'clean', '--fail-on', 'low');
    assert.match(stdout, /No findings\.\n$/);
  });

  it('says what it found, what to change, and ends as it is told to', async () => {
    const query = ['--query', "WorkflowType = 'paysTwice'"];
    const plain = await audit(...query);
    assert.equal(plain.code, 0);
    assert.match(plain.stdout, /read +60 runs/);
    assert.match(plain.stdout, /1\. low write without key: chargeCard\n.*--writes chargeCard/);
    const failed = await audit(...query, '--writes', 'chargeCard', '--fail-on', 'high');
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /1 finding is high or worse/);
  });

  it('goes on where it was killed, and counts no run twice', async () => {
    const state = join(folder, 'state.json');
    const child = spawn(
      process.execPath,
      [projectFile('dist/src/cli/main.js'), 'audit', '--state', state],
      { env: cleanEnv({ TEMPORAL_ADDRESS: server.address }), stdio: 'ignore' },
    );
    const closed = once(child, 'close');
    await until(() => existsSync(state));
    child.kill('SIGKILL');
    await closed;
    const before = JSON.parse(await readFile(state, 'utf8')) as {
      readonly audit: { readonly runs: number };
    };
    assert.ok(before.audit.runs > 0 && before.audit.runs < runs, `${before.audit.runs} runs`);
    const found = await shown('--state', state);
    assert.equal(found.runs, runs);
    assert.deepEqual(names(found), [...expected].sort());
    const again = await audit('--state', state, '--writes', 'chargeCrad');
    assert.match(again.stdout, /^read +1000 runs/);
    assert.match(again.stderr, /was read to its end/);
    assert.match(again.stderr, /no run has called chargeCrad/);
    const other = await audit('--state', state, '--namespace', 'clean');
    assert.equal(other.code, 2);
    assert.match(other.stderr, /is the state of another audit/);
  });

  it('ends after as many runs as it may read, and goes on from there', async () => {
    const state = join(folder, 'limited.json');
    const args = ['--state', state, '--query', "WorkflowType = 'brief'"];
    const some = await shown(...args, '--limit', '150');
    assert.deepEqual([some.runs, some.isDone], [200, false]); // it reads whole pages
    assert.equal((await shown(...args)).runs, planted.brief);
  });

  it('writes what a workflow calls as nodes that can be planned', async () => {
    const { code, stdout, stderr } = await audit(
      '--query',
      "WorkflowType = 'stumbles'",
      '--nodes',
      '-',
      '--cost',
      'flaky=500',
    );
    assert.equal(code, 0, stderr);
    const { nodes } = JSON.parse(stdout);
    assert.deepEqual(
      nodes.map(({ id, attemptCostMicros, maxRetries, required }: Record<string, unknown>) => [
        id,
        attemptCostMicros,
        maxRetries,
        required,
      ]),
      [['flaky', 500, 2, true]],
    );
    const planned = await runHoldfast(['plan', '-'], { input: stdout });
    assert.equal(planned.code, 0, planned.stderr);
    const none = await audit('--chain', 'nobody', '--nodes', '-');
    assert.deepEqual([none.code, none.stdout], [1, '']);
  });

  const wrong = [
    { args: ['--query', 'nonsense ='], code: 2, says: /The server refuses --query/ },
    { args: ['--histories', 'no-such-folder'], code: 2, says: /no-such-folder can't be read/ },
    { args: ['--histories', 'x', '--query', 'y'], code: 2, says: /leave out --query/ },
    { args: ['--html', 'x.html', '--nodes', './x.html'], code: 2, says: /a file of their own/ },
    { args: ['--cost', 'look'], code: 2, says: /--cost/ },
    { args: ['--json', '--nodes', '-'], code: 2, says: /name a file for the nodes/ },
    { args: ['--namespace', 'nowhere'], code: 3, says: /nowhere/ },
    { args: ['--html', 'no-such-folder/x.html'], code: 2, says: /no-such-folder/ },
  ];
  for (const { args, code, says } of wrong) {
    it(`refuses ${args.join(' ')}`, async () => {
      const ended = await audit(...args);
      assert.deepEqual([ended.code, ended.stdout], [code, ''], ended.stderr);
      assert.match(ended.stderr, says);
    });
  }
});
