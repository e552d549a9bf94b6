import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addRun, initialAudit } from '../../src/history/audit/audit.js';
import type { AuditOptions } from '../../src/history/audit/finding.js';
import { findings } from '../../src/history/audit/findings.js';
import { runOf, thrown, type WrittenActivity, type WrittenRun } from '../support/history-of.js';

/** What is found in the runs, such as `medium no-heartbeat: look`. */
function found(runs: readonly WrittenRun[], told: Partial<AuditOptions> = {}): readonly string[] {
  const audit = runs.map(runOf).reduce(addRun, initialAudit);
  const options = { writes: [], costMicros: new Map<string, number>(), threshold: 3, ...told };
  return findings(audit, options).map(
    ({ severity, kind, subject }) => `${severity} ${kind}: ${subject}`,
  );
}

function called(...activities: readonly WrittenActivity[]): readonly WrittenRun[] {
  return [{ activities }];
}

function times<Item>(count: number, item: Item): readonly Item[] {
  return Array<Item>(count).fill(item);
}

const refused = thrown('Request failed with status code 403');
const down = thrown('Request failed with status code 503');
const late = {
  message: 'late',
  timeoutFailureInfo: { timeoutType: 'TIMEOUT_TYPE_START_TO_CLOSE' },
};
const endless = { maximumAttempts: 0, initialInterval: '1s', backoffCoefficient: 2 };
const once = { maximumAttempts: 1 };
const half = { startToCloseTimeout: '300s' };
const whole = { scheduleToCloseTimeout: '20s', startToCloseTimeout: '20s' };
const timed = { workflowRunTimeout: '60s' };
const failed = {
  end: 'failed',
  call: {},
  failure: down,
  retryState: 'MaximumAttemptsReached',
} as const;
const answered = { call: {} } as const;
const envelope = (tokens: number, tokensWasted: number) => ({
  $holdfast: 1,
  value: 'fine',
  tokens,
  sums: { failed: 'f', tokensWasted, ambiguous: false },
});

/** A parent and its child, whose one activity is retried. */
function family(options: {
  readonly child?: object;
  readonly activity?: WrittenActivity;
  readonly attempt?: number;
}): readonly WrittenRun[] {
  const { child: retryPolicy = { maximumAttempts: 3 }, activity = {}, attempt = 1 } = options;
  const initiated = { workflowId: 'child', workflowType: { name: 'child' }, retryPolicy };
  return [
    {
      workflowType: 'parent',
      rest: [{ startChildWorkflowExecutionInitiatedEventAttributes: initiated }],
    },
    { workflowType: 'child', started: { attempt }, activities: [activity] },
  ];
}

type Row = readonly [
  claim: string,
  runs: readonly WrittenRun[],
  expected: readonly string[],
  told?: Partial<AuditOptions>,
];

const rows: readonly Row[] = [
  ['nothing in a call that is answered', called({}), []],
  ['a child that is retried over its activities', family({}), ['medium layered-retries: child']],
  [
    'that both layers have retried',
    family({ attempt: 2, activity: { attempts: 2, failureBefore: down } }),
    ['high layered-retries: child'],
  ],
  ['no layers under a child with one attempt', family({ child: once }), []],
  ['no layers over activities with one attempt', family({ activity: { retryPolicy: once } }), []],
  ['no layers over what the gate owns', family({ activity: { call: {} } }), []],
  ['retries for ever', called({ retryPolicy: endless }), ['medium unlimited-retries: look']],
  [
    'retries for ever that went on and on',
    called({ retryPolicy: endless, attempts: 11, failureBefore: down }),
    ['high unlimited-retries: look'],
  ],
  [
    'retries that only the run ends',
    [{ started: timed, activities: [{ retryPolicy: endless }] }],
    ['low unlimited-retries: look'],
  ],
  [
    'no retries for ever where the call has an end',
    called({ retryPolicy: endless, timeouts: { ...whole, startToCloseTimeout: '5s' } }),
    [],
  ],
  ['no retries for ever where the gate counts', called({ retryPolicy: endless, call: {} }), []],
  [
    'an attempt as long as its call',
    called({ timeouts: whole }),
    ['medium no-start-to-close: look'],
  ],
  ['one shorter than its call', called({ timeouts: { ...whole, startToCloseTimeout: '19s' } }), []],
  ['one as long that is the only one', called({ timeouts: whole, retryPolicy: once }), []],
  ['one as long that heartbeats', called({ timeouts: { ...whole, heartbeatTimeout: '5s' } }), []],
  ['five minutes without a heartbeat', called({ timeouts: half }), ['low no-heartbeat: look']],
  ['less than five minutes', called({ timeouts: { startToCloseTimeout: '299s' } }), []],
  ['five minutes with a heartbeat', called({ timeouts: { ...half, heartbeatTimeout: '30s' } }), []],
  [
    'five minutes that a worker was lost in',
    called({ timeouts: half, end: 'timed-out', failure: late }),
    ['medium no-heartbeat: look'],
  ],
  [
    'a governed write without a key',
    called({ call: { effect: 'write' } }),
    ['high write-without-key: look'],
  ],
  ['none that has one', called({ call: { effect: 'write', key: 'k' } }), []],
  [
    'a write that is only observed',
    called({ call: { effect: 'write', mode: 'observe' } }),
    ['medium write-without-key: look'],
  ],
  ['what sounds like a write', called({ type: 'pay' }), ['low write-without-key: pay']],
  ['what is said to be one', called({}), ['high write-without-key: look'], { writes: ['look'] }],
  ['no write that runs once', called({ type: 'pay', retryPolicy: once }), []],
  [
    'a write that runs once in a workflow that is retried',
    [
      {
        started: { retryPolicy: { maximumAttempts: 2 } },
        activities: [{ type: 'pay', retryPolicy: once }],
      },
    ],
    ['low write-without-key: pay'],
  ],
  [
    'retries on what no retry mends',
    called({ end: 'failed', attempts: 2, failure: refused }),
    ['high futile-retries: look'],
  ],
  ['none where the first attempt was the last', called({ end: 'failed', failure: refused }), []],
  ['none where a retry may mend it', called({ end: 'failed', attempts: 2, failure: down }), []],
  [
    'calls that go on after three failures in a row',
    called(...times(3, failed), answered),
    ['medium breaker-never-opened: shop'],
  ],
  ['no fault in going on after two', called(...times(2, failed), answered), []],
  [
    'no fault in going on as the threshold says',
    called(...times(3, failed), answered),
    [],
    { threshold: 4 },
  ],
  ['no fault where an answer came between', called(failed, failed, answered, failed, answered), []],
  [
    'a downstream that fails a lot and no breaker that opens',
    times(20, called(answered, answered, failed)).flat(),
    ['low breaker-never-opened: shop'],
  ],
  ['none that fails nineteen times', times(19, called(answered, answered, failed)).flat(), []],
  [
    'none that fails less than a tenth of the time',
    times(20, called(...times(10, answered), failed)).flat(),
    [],
  ],
  [
    'none that a worker has refused a call of',
    [
      ...times(20, called(answered, answered, failed)).flat(),
      ...called({ ...failed, failure: thrown('open', { type: 'breaker-open' }) }),
    ],
    [],
  ],
  [
    'tokens that failed attempts used',
    called(...times(3, { call: {}, result: envelope(84, 16) })),
    ['medium token-waste: look'],
  ],
  [
    'more tokens wasted than used',
    called(...times(3, { call: {}, result: envelope(49, 51) })),
    ['high token-waste: look'],
  ],
  ['no waste in fifteen percent', called(...times(3, { call: {}, result: envelope(85, 15) })), []],
  ['no waste in two calls', called(...times(2, { call: {}, result: envelope(49, 51) })), []],
  [
    'many retries of many calls',
    times(30, called({ attempts: 2, failureBefore: down })).flat(),
    ['medium retry-rate: look'],
  ],
  [
    'no rate in one call, however often it was retried',
    called({ attempts: 2_000, failureBefore: down }),
    [],
  ],
  ['no rate in two calls', called(...times(2, { attempts: 9, failureBefore: down })), []],
  [
    'no rate in a hundred calls of which one was retried ninety times',
    called(...times(99, {}), { attempts: 91, failureBefore: down }),
    [],
  ],
  [
    'no rate in ten percent of retries',
    called(...times(90, {}), ...times(10, { attempts: 2, failureBefore: down })),
    [],
  ],
];

describe('an audit finds', () => {
  for (const [claim, runs, expected, told] of rows) {
    it(claim, () => assert.deepEqual(found(runs, told), expected));
  }

  const types = [
    ['AuthenticationError', [], /nonRetryableErrorTypes: \['AuthenticationError'\]/],
    ['Error', [], /^throw ApplicationFailure\.nonRetryable/],
    ['java.lang.RuntimeException', [], /^throw ApplicationFailure\.nonRetryable/],
    ['OrderError', ['OrderError'], /^throw ApplicationFailure\.nonRetryable/],
  ] as const;
  for (const [type, others, setting] of types) {
    const also = others.length === 0 ? '' : ', which a retry has mended elsewhere';
    it(`retries on ${type}${also}, and names no type that other failures have`, () => {
      const mended = others.map((other) => ({
        attempts: 2,
        failureBefore: thrown('Request failed with status code 503', { type: other }),
      }));
      const failure = thrown('Request failed with status code 403', { type });
      const runs = called(...mended, { end: 'failed', attempts: 2, failure });
      const audit = runs.map(runOf).reduce(addRun, initialAudit);
      const [finding] = findings(audit, { writes: [], costMicros: new Map(), threshold: 3 });
      assert.equal(finding?.kind, 'futile-retries');
      assert.match(finding.setting, setting);
    });
  }

  it('first what is worse, then what costs more', () => {
    const lost = { end: 'failed', attempts: 2, failure: refused } as const;
    const runs = called({ type: 'pay' }, { ...lost, type: 'cheap' }, { ...lost, type: 'dear' });
    const told = { costMicros: new Map([['dear', 5]]), writes: ['pay'] };
    assert.deepEqual(found(runs, told), [
      'high futile-retries: dear',
      'high futile-retries: cheap',
      'high write-without-key: pay',
    ]);
  });
});
