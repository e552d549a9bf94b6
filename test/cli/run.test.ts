import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { RunReport } from '../../src/contract/run-state.js';
import { createUpstream, type Upstream } from '../../src/lab/upstream/index.js';
import { type Collector, startCollector } from '../support/collector.js';
import { cleanEnv, type HoldfastEnd, runHoldfast } from '../support/holdfast-command.js';
import { readmeCommands } from '../support/readme-block.js';
import { projectFile } from '../support/root.js';
import { startTestServer } from '../support/server.js';

let server: Awaited<ReturnType<typeof startTestServer>>;
let upstream: Upstream;
let upstreamUrl: string;
let folder: string;
let worker: ChildProcess;
let early: Awaited<ReturnType<typeof runWithoutWorker>>;
let collector: Collector;
let toldOfRuns: ReturnType<Collector['told']>;
before(async () => {
  server = await startTestServer();
  upstream = createUpstream({ seed: 1 });
  upstreamUrl = (await upstream.start()).url;
  folder = await mkdtemp(join(tmpdir(), 'holdfast-run-'));
  early = await runWithoutWorker();
  collector = await startCollector();
  toldOfRuns = collector.told('holdfast_runs_total');
  const module = projectFile('dist/test/cli/fixture/task-worker.js');
  worker = await startWorker(module, '--metrics', collector.url);
});
after(async () => {
  assert.equal(await ended(worker, 'SIGTERM'), 0);
  collector.stop();
  await upstream.stop();
  await server.stop();
  await rm(folder, { recursive: true });
});

function env(): Record<string, string> {
  return { TEMPORAL_ADDRESS: server.address, UPSTREAM_URL: upstreamUrl };
}

/** Starts `holdfast worker`, and waits until it is ready. */
async function startWorker(...args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    [projectFile('dist/src/cli/main.js'), 'worker', ...args, '--log-level', 'ERROR', '--json'],
    { env: cleanEnv(env()), stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [line] = (await once(child.stdout, 'data')) as [Buffer]; // its first line, and nothing else
  const { address } = JSON.parse(line.toString()) as { readonly address: string };
  assert.equal(address, server.address);
  return child;
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const closed = once(child, 'close');
  child.kill(signal);
  const [code] = (await closed) as [number | null];
  return code;
}

function run(...args: readonly string[]): Promise<HoldfastEnd> {
  return runHoldfast(['run', ...args], { env: env() });
}

type Told = {
  readonly how: string;
  readonly end: {
    readonly kind: string;
    readonly result?: { readonly kind: string; readonly report: RunReport };
  } | null;
};

async function file(name: string, json: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, JSON.stringify(json));
  return path;
}

const queue = ['--task-queue', 'tasks'];

async function told(
  id: string,
  input: string,
  ...args: readonly string[]
): Promise<Told & { readonly code: number | null }> {
  const { code, stdout, stderr } = await run(
    'agentTask',
    ...queue,
    '--id',
    id,
    '--input',
    input,
    '--json',
    ...args,
  );
  assert.notEqual(stdout, '', stderr);
  return { code, ...(JSON.parse(stdout) as Told) }; // the command's own JSON
}

function step(failures: number, more: object = {}): object {
  return {
    steps: [{ id: 'find', tool: 'find_orders', input: { customer: 'Ada', failures }, ...more }],
  };
}

/** What commands say of a task while no worker runs; the last one waits for the worker that is to come. */
async function runWithoutWorker() {
  const id = ['--id', 'late', '--input', await file('late.json', step(0))];
  const args = ['agentTask', ...queue, ...id];
  const how = async (...more: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...args, '--json', ...more);
    assert.equal(code, 0, stderr);
    const { how: said, end } = JSON.parse(stdout) as Told; // the command's own JSON
    return `${said}, ${end?.kind ?? 'not awaited'}`;
  };
  const detached = [await how('--detach'), await how('--detach')];
  const other = await run('ownQuery', ...queue, '--id', 'late', '--detach');
  const main = projectFile('dist/src/cli/main.js');
  const interrupted = spawn(process.execPath, [main, 'run', ...args], { env: cleanEnv(env()) });
  const closed = once(interrupted, 'close');
  const [progress] = (await once(interrupted.stderr, 'data')) as [Buffer]; // a line at a time
  interrupted.kill('SIGINT');
  const [, signal] = await closed;
  return { detached, other, progress: String(progress), signal, waiting: how() };
}

describe('holdfast run', () => {
  it('runs a task once, however often it is told to, and again only when told so', async () => {
    const input = await file('ok.json', step(1));
    const first = await told('once', input);
    assert.deepEqual([first.code, first.how, first.end?.kind], [0, 'started', 'ok']);
    const second = await told('once', input);
    assert.deepEqual([second.code, second.how, second.end?.kind], [0, 'ended-before', 'ok']);
    const again = await told('once', input, '--again');
    assert.deepEqual([again.code, again.how], [0, 'started']);
  });

  it('shows calls, retries and the answer', async () => {
    const { code, stdout } = await run(
      'agentTask',
      ...queue,
      '--id',
      'shown',
      '--input',
      await file('shown.json', step(1)),
    );
    assert.equal(code, 0);
    assert.match(stdout, /shown ended ok/);
    assert.match(stdout, /find_orders +ok +2/);
  });

  it('leaves a task to a worker that is yet to come, and joins it, also after Ctrl-C', async () => {
    const { detached, other, progress, signal, waiting } = early;
    assert.deepEqual(detached, ['started, not awaited', 'joined, not awaited']);
    assert.equal(other.code, 2);
    assert.match(other.stderr, /late is a workflow of the type agentTask, not ownQuery/);
    assert.match(progress, /^late: waits for a worker on the task queue tasks\n/);
    assert.equal(signal, 'SIGINT');
    assert.match(await waiting, /^(?:joined|ended-before), ok$/); // the worker may be the quicker one
  });

  it('sends tenant, policy and an earlier try with the start', async () => {
    const policy = await file('policy.json', { globalRetryBudget: 7 });
    const tools = projectFile('dist/test/workflows/fixture/task-tools.js');
    const input = await file('sent.json', step(0));
    await told('before', await file('before.json', step(1)));
    const rows = [
      { args: ['--tenant', 'none'], pool: [0, 0] },
      { args: ['--policy', policy], pool: [0, 7] },
      { args: ['--continues-budget-of', 'before', '--tools', tools], pool: [1, 3] },
    ];
    const pools = await Promise.all(
      rows.map(async ({ args }, index) => {
        const { end } = await told(`sent-${index}`, input, ...args);
        const pool = end?.result?.report.pool;
        return [pool?.spent, pool?.total];
      }),
    );
    assert.deepEqual(
      pools,
      rows.map(({ pool }) => pool),
    );
  });

  it('has a worker that tells a collector of its runs', async () => {
    assert.equal((await toldOfRuns).path, '/v1/metrics');
  });

  it('tells by its exit code that a task failed, or was answered by a fallback', async () => {
    const failed = await told('failed', await file('failed.json', step(9, { required: true })));
    assert.deepEqual([failed.code, failed.end?.kind], [1, 'failed']);
    const fallback = { fallback: { tool: 'answer_by_rule', input: {} } };
    const other = {
      steps: [{ id: 'sum', tool: 'summarise', input: { failures: 9 }, ...fallback }],
    };
    const input = await file('degraded.json', other);
    const degraded = await told('degraded', input, '--strict');
    assert.deepEqual([degraded.code, degraded.end?.kind], [5, 'degraded']);
    assert.equal((await told('degraded', input)).code, 0);
  });

  it('replays no run that the server doesn’t have', async () => {
    const workflows = projectFile('dist/test/workflows/fixture/task-workflows.js');
    const args = ['replay', '--workflow', 'nobody', '--workflows', workflows];
    const { code, stderr } = await runHoldfast(args, { env: env() });
    assert.deepEqual([code, stderr.includes('There is no workflow nobody')], [1, true]);
  });

  it('runs as the README shows it, with its worker', async () => {
    const [first = '', ...others] = readmeCommands('run');
    const own = { 'effects.db': join(folder, 'effects.db') };
    const child = await startWorker(...argsOf(first, own).slice(1));
    try {
      for (const line of others) {
        const { code, stdout, stderr } = await runHoldfast(argsOf(line, own), { env: env() });
        assert.equal(code, 0, stderr);
        if (line.includes(' replay ')) assert.match(stdout, /^fits +ticket-2, \d+ events\n/);
      }
    } finally {
      assert.equal(await ended(child, 'SIGINT'), 0);
    }
  });
});

/** The arguments of a line of the README, with its paths below the project, and files of its own elsewhere. */
function argsOf(line: string, own: Readonly<Record<string, string>>): readonly string[] {
  const [, , ...args] = line.replace(/&$/, '').trim().split(/\s+/);
  return args.map((arg) => own[arg] ?? (/^(?:dist|examples)\//.test(arg) ? projectFile(arg) : arg));
}
