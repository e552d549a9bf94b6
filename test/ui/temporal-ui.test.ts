import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { WorkflowHandle } from '@temporalio/client';
import type { Browser } from 'playwright-core';
import { findChromium, launchChromium } from '../support/chromium.js';
import { textOf } from '../support/page-text.js';
import { type Rig, startRig } from '../support/rig.js';
import { taskImplementations } from '../workflows/fixture/task-implementations.js';

const missing = await findChromium().then(
  () => undefined,
  (error: Error) => error.message,
);
const envelopeMs = 600_000;
const leastWaitMs = 60_000;
const patienceMs = 30_000;

/** One step that was broken, one that went well, one in its backoff, and one to come. */
const task = {
  steps: [
    { id: 'sum', tool: 'summarise', input: { failures: 9 }, fallback: { text: 'We are busy.' } },
    { id: 'guess', tool: 'one_in_two', input: { failures: 1 } },
    { id: 'find', tool: 'find_orders', input: { customer: 'Ada', failures: 1 } },
    { id: 'rule', tool: 'answer_by_rule', input: {} },
  ],
};

describe('the Temporal UI of a running task', { skip: missing ?? false }, () => {
  let rig: Rig;
  let browser: Browser;
  let run: Waiting;

  before(async () => {
    rig = await startRig({
      workflows: 'test/ui/fixture/workflows.js',
      implementations: taskImplementations(),
    });
    run = await startInBackoff(rig);
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await rig?.stop();
  });

  /** Opens a page of the run and returns its text once it shows what is looked for. */
  async function read(t: TestContext, tab: string, wanted: RegExp): Promise<string> {
    const page = await browser.newPage({ viewport: { width: 1400, height: 1600 } });
    t.after(() => page.close());
    await page.goto(`${rig.uiUrl}/namespaces/default/workflows/${run.path}/${tab}`);
    for (const giveUpAt = Date.now() + patienceMs; ; await page.waitForTimeout(100)) {
      const text = await textOf(page);
      if (wanted.test(text)) return text;
      assert.ok(Date.now() < giveUpAt, `${wanted} does not show in ${tab}:\n${text}`);
    }
  }

  it('shows the pending attempt as 2 / 3', async (t) => {
    const text = await read(t, 'pending-activities', /Attempt 2 \/ 3 1 remaining/);
    assert.match(text, /find_orders/);
    assert.match(text, /scripted fault/);
  });

  it('shows the jittered time of the next retry, which is not the plain backoff', async (t) => {
    const text = await read(t, 'pending-activities', /Next Retry .* UTC \(\d+s\).*"delayMs": \d+/);
    const shown = /Next Retry (.+? (?:AM|PM) UTC) \((\d+)s\)/.exec(text);
    const nextAt = Date.parse(String(shown?.[1]).replace(/\.\d+ /, ' '));
    assert.ok(Math.abs(nextAt - run.nextAt) <= 1_000, `${shown?.[1]} is not ${run.nextAt}`);
    const countdownMs = 1_000 * Number(shown?.[2]);
    assert.ok(countdownMs > 0 && countdownMs <= run.waitMs + 1_000, `${countdownMs} ms`);
    // what the attempt asked for is what the server waits, and neither is the envelope
    assert.equal(Math.ceil(Number(/"delayMs": ([\d.]+)/.exec(text)?.[1])), run.waitMs);
    assert.ok(run.waitMs < envelopeMs);
  });

  it('shows tool and share of each activity in the timeline', async (t) => {
    const text = await read(t, 'timeline', /Attempt 2 \/ 3 • find_orders/);
    assert.match(text, /find_orders, share 2 retries/);
    assert.match(text, /summarise, share 2 retries/);
  });

  it('shows the breakers, the pool and the steps in Current Details', async (t) => {
    const text = await read(t, 'user-metadata', /Downstreams .*planned/);
    assert.match(text, /downstream breaker failures in a row/);
    assert.match(text, /text open since \d\d:\d\d:\d\d UTC, 0 rejected -/);
    assert.match(text, /one_in_two closed 0/);
    assert.match(text, /orders closed 0/);
    assert.match(text, /3 of 8 free, 2 promised to running calls, 3 spent/);
    assert.match(text, /1 sum summarise 3 degraded \(attempts\)/);
    assert.match(text, /2 guess one_in_two 2 ok/);
    assert.match(text, /3 find find_orders up to 3 running/);
    assert.match(text, /rule answer_by_rule planned/);
  });
});

/** A run whose third step waits for its second attempt. */
type Waiting = { readonly path: string; readonly waitMs: number; readonly nextAt: number };

/** Starts tasks until the jittered wait of one is long enough to be looked at: nine in ten are. */
async function startInBackoff({ client, id, taskQueue }: Rig): Promise<Waiting> {
  for (;;) {
    const handle = await client.workflow.start('agentTask', {
      taskQueue,
      workflowId: id('ui'),
      args: [task],
    });
    const { waitMs, nextAt } = await backoffOf(handle);
    const path = `${handle.workflowId}/${handle.firstExecutionRunId}`;
    if (waitMs >= leastWaitMs) return { path, waitMs, nextAt };
    await handle.terminate();
  }
}

async function backoffOf(handle: WorkflowHandle): Promise<Omit<Waiting, 'path'>> {
  for (;;) {
    const [pending] = (await handle.describe()).raw.pendingActivities ?? [];
    const {
      currentRetryInterval: wait,
      nextAttemptScheduleTime: next,
      activityType,
    } = pending ?? {};
    if (activityType?.name === 'find_orders' && wait && next) {
      return { waitMs: Math.floor(milliseconds(wait)), nextAt: milliseconds(next) };
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function milliseconds(time: { readonly seconds?: unknown; readonly nanos?: unknown }): number {
  return Number(time.seconds) * 1_000 + Number(time.nanos) / 1e6;
}
