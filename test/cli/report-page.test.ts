import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { reportPage } from '../../src/cli/report/report-page.js';
import { runFindings } from '../../src/cli/report/run-findings.js';
import { runTimeline } from '../../src/cli/report/run-timeline.js';
import { historyIn } from '../../src/history/history-in.js';
import { readRun } from '../../src/history/read-history.js';
import type { ActivityFacts, RunFacts } from '../../src/history/run-facts.js';
import { renderPage } from '../../src/pages/render-page.js';
import { describePage } from '../support/describe-page.js';
import { projectFile } from '../support/root.js';
import { hostileText } from '../support/sample-page.js';

const startedAt = 1_700_000_000_000;

function activity(facts: Partial<ActivityFacts>): ActivityFacts {
  return {
    eventId: 5,
    activityId: '1',
    type: 'find_orders',
    isLocal: false,
    isCopied: false,
    taskQueue: 'tools',
    scheduledAt: startedAt + 100,
    startedAt: startedAt + 200,
    endedAt: startedAt + 1_200,
    end: 'completed',
    attempts: 1,
    attemptsKnown: true,
    lastDelayMs: null,
    nextAttemptAt: null,
    lastFailure: null,
    retryState: null,
    retryPolicy: {
      initialIntervalMs: 1_000,
      backoffCoefficient: 2,
      maximumIntervalMs: null,
      maximumAttempts: 3,
      nonRetryableErrorTypes: [],
    },
    timeouts: {
      scheduleToCloseMs: null,
      scheduleToStartMs: null,
      startToCloseMs: 10_000,
      heartbeatMs: null,
    },
    summary: null,
    call: null,
    ...facts,
  };
}

const failure = {
  message: 'the key is refused',
  type: null,
  nonRetryable: false,
  class: 'auth',
  retryable: false,
} as const;

const call = {
  downstream: 'orders',
  effect: 'read',
  mode: 'on',
  tenant: null,
  key: 'orders-1',
  share: 2,
  failedBefore: 0,
  failedAttempts: 1,
  tokensUseful: 10,
  tokensWasted: 1_200,
  costUsefulMicros: 10,
  costWastedMicros: 4_200,
  isReplayed: false,
  stop: 'retry-budget',
  wait: null,
} as const;

function run(activities: readonly ActivityFacts[], facts: Partial<RunFacts> = {}): RunFacts {
  return {
    namespace: 'default',
    workflowId: 'ticket-14',
    runId: 'run-1',
    workflowType: 'answerTicket',
    taskQueue: 'tools',
    status: 'completed',
    startedAt,
    endedAt: startedAt + 20_000,
    attempt: 1,
    retryPolicy: null,
    executionTimeoutMs: null,
    runTimeoutMs: null,
    parent: null,
    continuedFrom: null,
    continuedAs: null,
    failure: null,
    isGoverned: false,
    searchAttributes: {},
    events: 40,
    historyBytes: 9_000,
    activities,
    children: [],
    ...facts,
  };
}

const retried = activity({
  attempts: 3,
  startedAt: startedAt + 9_000,
  endedAt: startedAt + 9_500,
  end: 'failed',
  lastFailure: failure,
});
const child = {
  eventId: 30,
  workflowId: 'child-1',
  runId: null,
  workflowType: 'refund',
  startedAt: startedAt + 2_000,
  endedAt: null,
  status: 'running',
  retryPolicy: null,
} as const;

for (const name of ['worker-lost', 'plain-ungoverned']) {
  describePage(`the report of the recorded history ${name}`, async () => {
    const file = await readFile(projectFile('test', 'histories', `${name}.json`), 'utf8');
    const recorded = readRun(historyIn(JSON.parse(file)) ?? {});
    assert.ok(recorded.activities.length > 0);
    return await renderPage(reportPage([recorded], `holdfast report --history ${name}.json`));
  });
}

describePage('the report of a plain run with texts of strangers', async () => {
  const strange = activity({
    type: hostileText,
    attempts: 2,
    end: 'failed',
    lastFailure: { ...failure, message: hostileText },
  });
  const facts = run([strange], { workflowId: hostileText, workflowType: hostileText });
  return await renderPage(reportPage([facts, run([])], `holdfast report '${hostileText}'`));
});

describe('the timeline of a run', () => {
  it('shows the earlier attempts and their waits before the last attempt', () => {
    const bars = runTimeline(run([retried])).rows[0]?.bars ?? [];
    assert.deepEqual(
      bars.map(({ fromMs, toMs, tone }) => [fromMs - startedAt, toMs - startedAt, tone]),
      [
        [100, 9_000, 'warning'],
        [9_000, 9_500, 'bad'],
      ],
    );
    assert.match(bars[0]?.text ?? '', /2 earlier attempts and the waits after them, 8\.9 s/);
  });

  it('shows the schedulings of one call in one row', () => {
    const rows = runTimeline(
      run([activity({ end: 'interrupted', call }), activity({ eventId: 11, call })]),
    ).rows;
    assert.equal(rows.length, 1);
  });

  it('shows of a local activity its end alone', () => {
    const local = activity({ isLocal: true, attempts: 3, startedAt: null, scheduledAt: startedAt });
    const bars = runTimeline(run([{ ...local, endedAt: startedAt }])).rows[0]?.bars ?? [];
    assert.deepEqual(bars, [
      {
        fromMs: startedAt,
        toMs: startedAt,
        tone: 'good',
        text: 'find_orders: local, answered at attempt 3',
      },
    ]);
  });

  it('ends what is under way at the last time that the run tells', () => {
    const waiting = activity({ eventId: 7, end: 'pending', startedAt: null, endedAt: null });
    const facts = run([waiting, retried], { endedAt: null, children: [child] });
    const ends = runTimeline(facts).rows.map((row) => (row.bars.at(-1)?.toMs ?? 0) - startedAt);
    assert.deepEqual(ends, [9_500, 9_500, 9_500]);
  });

  it('has 200 rows at most, and says so', () => {
    const many = Array.from({ length: 201 }, (_, eventId) => activity({ eventId }));
    const { rows, caption } = runTimeline(run(many));
    assert.equal(rows.length, 200);
    assert.match(caption, /the first 200 of 201/);
  });
});

describe('what stands out in a run', () => {
  const unlimited = { ...activity({}).retryPolicy, maximumAttempts: 0 };
  const rows = [
    { name: 'nothing where each activity answers at once', facts: activity({}), found: [] },
    {
      name: 'an activity that gave up on what no retry cures',
      facts: retried,
      found: [/gave up after 3 attempts: the key is refused/, /class auth, which a retry does not/],
    },
    {
      name: 'a policy without end',
      facts: activity({ retryPolicy: unlimited }),
      found: [/without end/],
    },
    { name: 'what ended the retries', facts: activity({ call }), found: [/ended by retry budget/] },
  ];
  for (const { name, facts, found } of rows) {
    it(`is ${name}`, () => {
      const findings = runFindings(run([facts]));
      assert.equal(findings.length, found.length, findings.join('\n'));
      for (const [index, pattern] of found.entries()) assert.match(findings[index] ?? '', pattern);
    });
  }
});
