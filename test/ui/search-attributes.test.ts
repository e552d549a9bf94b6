import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client, type WorkflowHandle } from '@temporalio/client';
import type { IndexValues, Task } from 'holdfast/contract';
import type { Browser, Page } from 'playwright-core';
import { findChromium, launchChromium } from '../support/chromium.js';
import { textOf } from '../support/page-text.js';
import { type Rig, startRig } from '../support/rig.js';
import { runTemporal } from '../support/temporal-command.js';
import { until } from '../support/until.js';
import { taskImplementations } from '../workflows/fixture/task-implementations.js';

const missing = await findChromium().then(
  () => undefined,
  (error: Error) => error.message,
);
const patienceMs = 30_000;

const find = { id: 'find', tool: 'find_orders', input: { customer: 'Ada', failures: 1 } };
const broken = { id: 'sum', tool: 'summarise', input: { failures: 9 } };
const tasks = {
  answered: { steps: [find] },
  degraded: { tenant: 'many', steps: [find, { ...broken, fallback: { text: 'We are busy.' } }] },
  exhausted: { tenant: 'many', steps: [broken] },
  partial: { tenant: 'many', steps: [{ ...broken, required: false }, find] },
} satisfies Record<string, Task>;
type Name = keyof typeof tasks;

let rig: Rig;
const runs = new Map<string, WorkflowHandle>();
const runOf = (name: string): WorkflowHandle => {
  const run = runs.get(name);
  assert.ok(run, name);
  return run;
};

before(async () => {
  rig = await startRig({
    workflows: 'test/ui/fixture/index-workflows.js',
    implementations: taskImplementations(),
    searchAttributes: true,
    dynamicConfig: { 'history.transferProcessorMaxPollRPS': '2000' },
  });
  const plain = new Client({ connection: rig.client.connection });
  const start = async (client: Client, name: string, type: string, task: unknown) => {
    const options = { taskQueue: rig.taskQueue, workflowId: rig.id(name), args: [task] };
    runs.set(name, await client.workflow.start(type, options));
  };
  await Promise.all([
    ...Object.entries(tasks).map(([name, task]) => start(rig.client, name, 'agentTask', task)),
    start(rig.client, 'parent', 'handsOn', tasks.degraded),
    start(rig.client, 'batch', 'batch', { items: [{ id: 'item', ...tasks.exhausted }] }),
    start(plain, 'plain', 'agentTask', tasks.degraded),
  ]);
  await Promise.all([...runs.values()].map((run) => run.result().catch(() => {})));
  const childId = runOf('parent').workflowId.replace('parent', 'child');
  runs.set('child', rig.client.workflow.getHandle(childId));
});
after(() => rig?.stop());

/** What the server has of a run. */
async function shownOf(
  handle: WorkflowHandle,
): Promise<{ readonly attributes: Partial<IndexValues>; readonly memo: unknown }> {
  const { typedSearchAttributes, memo } = await handle.describe();
  const pairs = typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]);
  const own = pairs.filter(([name]) => String(name).startsWith('Holdfast'));
  return { attributes: Object.fromEntries(own), memo: memo?.holdfast };
}

/** How many events tell of holdfast's attributes, and of the memo. */
async function eventsOf(handle: WorkflowHandle): Promise<readonly [number, number]> {
  const { events } = await handle.fetchHistory();
  const names = (events ?? []).map(({ upsertWorkflowSearchAttributesEventAttributes: upsert }) =>
    Object.keys(upsert?.searchAttributes?.indexedFields ?? {}),
  );
  return [
    names.filter((some) => some.some((name) => name.startsWith('Holdfast'))).length,
    (events ?? []).filter((one) => one.workflowPropertiesModifiedEventAttributes).length,
  ];
}

describe('a run that was started with search attributes', () => {
  const ends: Record<Name, IndexValues> = {
    answered: {
      HoldfastOutcome: 'ok',
      HoldfastDegraded: false,
      HoldfastRetries: 1,
      HoldfastBreakerOpen: ['none'],
    },
    degraded: {
      HoldfastOutcome: 'degraded',
      HoldfastDegraded: true,
      HoldfastRetries: 3,
      HoldfastBreakerOpen: ['text'],
    },
    exhausted: {
      HoldfastOutcome: 'exhausted',
      HoldfastDegraded: false,
      HoldfastRetries: 2,
      HoldfastBreakerOpen: ['text'],
    },
    partial: {
      HoldfastOutcome: 'partial',
      HoldfastDegraded: false,
      HoldfastRetries: 3,
      HoldfastBreakerOpen: ['text'],
    },
  };
  for (const [name, expected] of Object.entries(ends)) {
    it(`says by them how it ended: ${name}`, async () => {
      assert.deepEqual((await shownOf(runOf(name))).attributes, expected);
    });
  }

  it('says in its memo in plain words how it ended', async () => {
    const memos = await Promise.all(
      ['answered', 'degraded', 'exhausted'].map(async (name) => (await shownOf(runOf(name))).memo),
    );
    assert.deepEqual(memos, [
      'Ended: ok. 1 call: 1 ok. 1 retry used.',
      'Ended: degraded. 2 calls: 1 ok, 1 degraded. Stood in: text for summarise. 3 retries used. Breaker open: text.',
      'Ended: exhausted. 1 call: 1 exhausted. 2 retries used. Breaker open: text.',
    ]);
  });

  it('has an event of each for its end, one for a breaker that opened, and one for the first stand-in', async () => {
    assert.deepEqual(await eventsOf(runOf('answered')), [1, 1]);
    assert.deepEqual(await eventsOf(runOf('degraded')), [3, 2]);
    assert.deepEqual(await eventsOf(runOf('exhausted')), [2, 1]);
  });

  it('has none where it was started without', async () => {
    assert.deepEqual(await eventsOf(runOf('plain')), [0, 0]);
    assert.deepEqual(await shownOf(runOf('plain')), { attributes: {}, memo: undefined });
  });

  it('hands them to its children, and on where it continues as new', async () => {
    assert.deepEqual((await shownOf(runOf('child'))).attributes, ends.degraded);
    const { HoldfastOutcome, HoldfastDegraded } = (await shownOf(runOf('parent'))).attributes;
    assert.deepEqual([HoldfastOutcome, HoldfastDegraded], ['degraded', true]);
  });

  it('begins so in every item of a batch, too', async () => {
    const item = rig.client.workflow.getHandle(`${runOf('batch').workflowId}/item`);
    assert.deepEqual((await shownOf(item)).attributes, ends.exhausted);
    assert.equal((await shownOf(runOf('batch'))).attributes.HoldfastOutcome, 'partial');
  });

  it('keeps up to date no attribute but those that it began with, as one from the command line', async () => {
    const workflowId = rig.id('one');
    const ended = await runTemporal(rig.address, [
      ...['workflow', 'execute', '--type', 'agentTask', '--task-queue', rig.taskQueue],
      ...['--workflow-id', workflowId, '--input', JSON.stringify(tasks.degraded)],
      ...['--search-attribute', 'HoldfastOutcome="running"'],
    ]);
    assert.equal(ended.code, 0, ended.output);
    const { attributes } = await shownOf(rig.client.workflow.getHandle(workflowId));
    assert.deepEqual(attributes, { HoldfastOutcome: 'degraded' });
  });

  it('runs again in a workflow retry, whatever the attempt before has left', async () => {
    const { workflow } = rig.client;
    const handle = await workflow.start('triesTwice', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('again'),
      retry: { maximumAttempts: 2, initialInterval: 50 },
    });
    const first = workflow.getHandle(handle.workflowId, handle.firstExecutionRunId);
    await until(async () => (await first.describe()).status.name === 'FAILED');
    assert.equal((await shownOf(first)).memo, 'Ended: failed.');
    const second = workflow.getHandle(handle.workflowId);
    await until(async () => (await second.fetchHistory()).events?.length === 4);
    const { attributes, memo } = await shownOf(second);
    assert.equal(attributes.HoldfastOutcome, 'running');
    assert.match(String(memo), /^Running\./);
    await second.terminate();
  });

  it('says so where it is cancelled', async () => {
    const slow = { steps: [{ ...broken, input: { takesMs: 60_000 } }] };
    const handle = await rig.client.workflow.start('agentTask', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('cancelled'),
      args: [slow],
    });
    await handle.cancel();
    await handle.result().catch(() => {});
    assert.equal((await shownOf(handle)).attributes.HoldfastOutcome, 'cancelled');
  });
});

describe('the Temporal UI', { skip: missing ?? false }, () => {
  let browser: Browser;
  let page: Page;
  before(async () => {
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1400, height: 1600 } });
    const { workflowService } = rig.client.connection;
    const request = { namespace: 'default', query: "HoldfastOutcome = 'exhausted'" };
    await until(
      async () => Number((await workflowService.countWorkflowExecutions(request)).count) === 2,
    );
  });
  after(() => browser?.close());

  /** Opens a page and returns its text once it shows what is looked for. */
  async function read(path: string, wanted: string | RegExp): Promise<string> {
    await page.goto(`${rig.uiUrl}/namespaces/default/workflows${path}`);
    for (const giveUpAt = Date.now() + patienceMs; ; await page.waitForTimeout(100)) {
      const text = await textOf(page);
      if (wanted instanceof RegExp ? wanted.test(text) : text.includes(wanted)) return text;
      assert.ok(Date.now() < giveUpAt, `${wanted} does not show in ${path}:\n${text}`);
    }
  }
  const listed = async (query: string, sure: string): Promise<readonly string[]> => {
    const text = await read(`?query=${encodeURIComponent(query)}`, runOf(sure).workflowId);
    return [...runs]
      .filter(([, run]) => text.includes(run.workflowId))
      .map(([name]) => name)
      .sort();
  };

  it('finds runs that degraded, and no others, by its filter', async () => {
    const degraded = await listed('HoldfastDegraded = true', 'degraded');
    assert.deepEqual(degraded, ['child', 'degraded', 'parent']);
  });

  it('finds those that were exhausted, and those with a breaker open', async () => {
    const exhausted = await listed("HoldfastOutcome = 'exhausted'", 'exhausted');
    assert.deepEqual(exhausted, ['batch', 'exhausted']); // the batch's item, whose id begins with its own
    const open = await listed("HoldfastBreakerOpen = 'text' AND HoldfastRetries > 2", 'partial');
    assert.deepEqual(open, ['child', 'degraded', 'partial']);
  });

  it('shows what a task is for, and how it ended', async () => {
    const { workflowId } = runOf('degraded');
    const described = await runOf('degraded').describe();
    const path = `/${workflowId}/${described.runId}`;
    const metadata = await read(`${path}/user-metadata`, '2 steps: find_orders → summarise');
    assert.match(
      metadata,
      /For many\..*step tool required if it fails find find_orders yes.*sum summarise yes text/,
    );
    await read(`${path}/memo`, 'Stood in: text for summarise.');
  });
});
