import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Context } from '@temporalio/activity';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { fetchRun } from '../../src/history/fetch-run.js';
import { readRun } from '../../src/history/read-history.js';
import type { HistoryReport } from '../../src/history/report.js';
import { type HoldfastEnd, runHoldfast } from '../support/holdfast-command.js';
import { readmeCommands } from '../support/readme-block.js';
import { projectFile } from '../support/root.js';
import { startTestServer } from '../support/server.js';
import { until } from '../support/until.js';

const taskQueue = 'plain';
const HOUR_MS = 3_600_000;

/** Fails so many attempts. */
async function fetchPage(failures: number): Promise<string> {
  if (Context.current().info.attempt <= failures)
    throw new Error('Request failed with status code 503');
  return 'page';
}

/** Answers when the server has given it up. */
async function hang(): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  return 'late';
}

let server: Awaited<ReturnType<typeof startTestServer>>;
let client: Client;
let folder: string;
let stop: () => Promise<void>;
before(async () => {
  server = await startTestServer();
  folder = await mkdtemp(join(tmpdir(), 'holdfast-report-'));
  const connection = await NativeConnection.connect({ address: server.address });
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowsPath: projectFile('dist/test/cli/fixture/plain-workflows.js'),
    activities: { fetchPage, hang },
  });
  const ended = worker.run();
  client = new Client({ connection: await Connection.connect({ address: server.address }) });
  stop = async () => {
    worker.shutdown();
    await ended;
    await client.connection.close();
    await connection.close();
    await server.stop();
    await rm(folder, { recursive: true });
  };
});
after(() => stop());

function report(...args: readonly string[]): Promise<HoldfastEnd> {
  return runHoldfast(['report', ...args], { env: { TEMPORAL_ADDRESS: server.address } });
}

async function reported(...args: readonly string[]): Promise<HistoryReport> {
  const ended = await report(...args, '--json');
  assert.equal(ended.code, 0, ended.stderr);
  return JSON.parse(ended.stdout) as HistoryReport; // the command's own JSON
}

describe('holdfast report', () => {
  it('tells of a workflow without holdfast where its attempts went', async () => {
    await client.workflow.execute('crawl', { workflowId: 'crawl', taskQueue });
    const { runs, types, totals } = await reported('crawl');
    assert.deepEqual(
      runs[0]?.calls.map(({ type, end, attempts, retries, gate }) => [
        type,
        end,
        attempts,
        retries,
        gate,
      ]),
      [
        ['fetchPage', 'completed', 3, 2, null],
        ['fetchPage', 'failed', 4, 3, null],
        ['hang', 'timed-out', 1, 0, null],
      ],
    );
    assert.equal(runs[0]?.calls[0]?.backoffMs, 20 + 40);
    assert.equal(runs[0]?.calls[1]?.backoffMs, 20 + 40 + 80);
    assert.deepEqual(
      types.map(({ type, calls, attempts, unanswered }) => [type, calls, attempts, unanswered]),
      [
        ['fetchPage', 2, 7, 1],
        ['hang', 1, 1, 1],
      ],
    );
    assert.equal(totals.amplification, 8 / 3);
    assert.equal(totals.spent, null);
    assert.equal(types[0]?.lastFailure?.class, 'server');
  });

  it('shows the same as a table', async () => {
    const { code, stdout } = await report('crawl');
    assert.equal(code, 0);
    assert.match(stdout, /attempts +8, 5 of them retries, 2\.67 a call/);
    assert.match(stdout, /^fetchPage +2 +7 +5 +1 +server: Request failed with sta…$/m);
    for (const line of stdout.split('\n')) assert.ok(line.length <= 100, line);
  });

  it('follows a workflow over its continue-as-news', async () => {
    await client.workflow.execute('goOn', { workflowId: 'on', taskQueue });
    const { runs, totals } = await reported('on', '--chain');
    assert.deepEqual(
      runs.map(({ status }) => status),
      ['continued-as-new', 'continued-as-new', 'completed'],
    );
    assert.equal(totals.attempts, 6);
    const middle = await reported('on', '--run-id', runs[1]?.runId ?? '');
    assert.deepEqual(middle.runs, [runs[1]]);
    assert.deepEqual(
      (await reported('on', '--chain', '--run-id', runs[1]?.runId ?? '')).runs,
      runs,
    );
  });

  it('tells of an attempt that has yet to come', async () => {
    const handle = await client.workflow.start('waitLong', { workflowId: 'long', taskQueue });
    await until(async () => {
      const { raw } = await handle.describe();
      return raw.pendingActivities?.[0]?.lastFailure != null;
    });
    const [call] = (await reported('long')).runs[0]?.calls ?? [];
    assert.equal(call?.end, 'pending');
    assert.equal(call?.attempts, 1);
    assert.equal(call?.attemptsKnown, true);
    assert.equal(call?.lastFailure?.message, 'Request failed with status code 503');
    assert.ok((call?.beforeLastAttemptMs ?? 0) >= HOUR_MS, 'the attempt is due in an hour');
    await handle.terminate();
    assert.equal((await reported('long')).runs[0]?.calls[0]?.end, 'abandoned');
  });

  it('does not claim to know the attempts of a call that was cancelled between two', async () => {
    const handle = await client.workflow.start('waitLong', { workflowId: 'off', taskQueue });
    await until(async () => {
      const { raw } = await handle.describe();
      return raw.pendingActivities?.[0]?.lastFailure != null;
    });
    await handle.cancel();
    await assert.rejects(handle.result());
    const [run] = (await reported('off')).runs;
    assert.equal(run?.status, 'canceled');
    assert.equal(run?.calls[0]?.end, 'canceled');
    assert.equal(run?.calls[0]?.attemptsKnown, false);
  });

  it('follows a workflow over its own retries, and says what each failed of', async () => {
    await client.workflow.execute('family', { workflowId: 'family', taskQueue });
    const { runs } = await reported('family/child', '--chain');
    assert.deepEqual(
      runs.map(({ attempt, status, failure }) => [attempt, status, failure?.class]),
      [
        [1, 'failed', 'network'],
        [2, 'failed', 'network'],
      ],
    );
  });

  it('tells of a run on the server what its history alone tells', async () => {
    const handle = client.workflow.getHandle('family');
    const { runId, historyBytes, children, ...facts } = await fetchRun(client, {
      workflowId: handle.workflowId,
    });
    const [child] = children;
    assert.equal(child?.status, 'failed');
    assert.equal(child?.retryPolicy?.maximumAttempts, 2);
    const history = await handle.fetchHistory();
    const alone = readRun(history, { namespace: 'default', runId, historyBytes });
    assert.deepEqual({ ...facts, runId, historyBytes, children }, alone);
  });

  it('says that there is no such workflow, or no such run', async () => {
    const none = await report('nobody');
    assert.deepEqual(
      [none.code, none.stderr],
      [1, 'error: There is no workflow nobody in the namespace default.\n'],
    );
    const id = '00000000-0000-4000-8000-000000000000';
    assert.match(
      (await report('crawl', '--run-id', id)).stderr,
      /no workflow crawl with the run 0000/,
    );
  });

  const wrong = [
    { args: [], says: /Name a workflow by its id/ },
    { args: ['crawl', '--history', 'x.json'], says: /give no workflow id/ },
    { args: ['--history', 'no-such.json'], says: /no-such\.json can't be read/ },
    { args: ['--history', projectFile('package.json')], says: /holds no history/ },
  ];
  for (const { args, says } of wrong) {
    it(`refuses ${args.join(' ').replaceAll(projectFile(), '') || 'nothing'}`, async () => {
      const ended = await report(...args);
      assert.equal(ended.code, 2);
      assert.match(ended.stderr, says);
    });
  }

  it('runs as the README shows it', async () => {
    const placed: Readonly<Record<string, string>> = {
      'examples/report/history.json': projectFile('examples/report/history.json'),
      'report.html': join(folder, 'report.html'),
    };
    for (const line of readmeCommands('report')) {
      const args = line
        .split(/\s+/)
        .slice(2)
        .map((arg) => placed[arg] ?? arg);
      const ended = await runHoldfast(args);
      assert.equal(ended.code, 0, ended.stderr);
      assert.match(ended.stdout, /attempts +5, 3 of them retries/);
    }
    const page = await readFile(join(folder, 'report.html'), 'utf8');
    assert.match(page, /<h1[^>]*>Report of /);
  });
});
