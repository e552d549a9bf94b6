import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { addRun, initialAudit } from '../../src/history/audit/audit.js';
import { soundsLikeWrite } from '../../src/history/audit/find-writes.js';
import { findings } from '../../src/history/audit/findings.js';
import { addDurations, quantileMs, sketchError } from '../../src/history/audit/latency-sketch.js';
import { failureRateOf, risingRates } from '../../src/history/audit/rising-rates.js';
import { wilsonInterval } from '../../src/history/audit/wilson.js';
import { type RawHistory, readRun } from '../../src/history/read-history.js';
import { projectFile } from '../support/root.js';

describe('the interval of a failure rate', () => {
  // the score interval's own formula, by hand: center 0.1 + z²/200, spread z·sqrt(0.09/100 + z²/40000)
  it('is what the formula says', () => {
    const { low, high } = wilsonInterval(10, 100);
    assert.ok(Math.abs(low - 0.0552) < 1e-4, `${low}`);
    assert.ok(Math.abs(high - 0.1744) < 1e-4, `${high}`);
  });

  it('holds the rate, lies in [0, 1], and is narrower with ten times the trials', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (trials, share) => {
          const failures = Math.floor(trials * share);
          const { low, high } = wilsonInterval(failures, trials);
          const rate = failures / trials;
          assert.ok(0 <= low && low <= rate && rate <= high && high <= 1);
          const more = wilsonInterval(failures * 10, trials * 10);
          assert.ok(more.high - more.low < high - low);
        },
      ),
    );
  });

  it('is everything without trials', () => {
    assert.deepEqual(wilsonInterval(0, 0), { low: 0, high: 1 });
  });
});

describe('the rates of retries', () => {
  it('never fall, and keep the failures that were counted', () => {
    const trial = fc.tuple(
      fc.integer({ min: 1, max: 500 }),
      fc.double({ min: 0, max: 0.99, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(trial, { minLength: 1, maxLength: 6 }), (list) => {
        const trials = list.map(([made, share]) => ({ made, failed: Math.floor(made * share) }));
        const rates = risingRates(trials);
        assert.equal(rates.length, trials.length);
        for (const [index, rate] of rates.entries()) {
          assert.ok(rate >= 0 && rate < 1 && rate >= (rates[index - 1] ?? 0));
        }
        const counted = trials.reduce((sum, { failed }) => sum + failed, 0);
        const told = trials.reduce((sum, { made }, index) => sum + made * (rates[index] ?? 0), 0);
        assert.ok(
          Math.abs(told - counted) <= 1e-5 * trials.reduce((sum, { made }) => sum + made, 1),
        );
      }),
    );
  });

  it('leave what always failed a chance', () => {
    assert.equal(failureRateOf({ made: 4, failed: 4 }), 0.875);
  });
});

describe('the sketch of durations', () => {
  it('tells any quantile to two percent', () => {
    const durations = fc.array(fc.integer({ min: 1, max: 10_000_000 }), {
      minLength: 1,
      maxLength: 200,
    });
    fc.assert(
      fc.property(durations, fc.double({ min: 0, max: 1, noNaN: true }), (list, quantile) => {
        const sorted = [...list].sort((one, other) => one - other);
        const exact = sorted[Math.max(1, Math.ceil(quantile * list.length)) - 1] ?? 0;
        const told = quantileMs(addDurations({}, list), quantile) ?? 0;
        assert.ok(Math.abs(told - exact) <= exact * sketchError * 1.0001, `${told} ${exact}`);
      }),
    );
  });

  it('tells nothing without any', () => {
    assert.equal(quantileMs({}, 0.5), null);
  });
});

describe('the names of activities that change something', () => {
  const rows = {
    chargeCard: true,
    send_mail: true,
    'orders.Create': true,
    Refund: true,
    lookUp: false,
    getPayment: false,
    sender: false,
    '': false,
  };
  for (const [name, isWrite] of Object.entries(rows)) {
    it(`${isWrite ? 'are' : 'are not'} such as "${name}"`, () => {
      assert.equal(soundsLikeWrite(name), isWrite);
    });
  }
});

/** A plain run with one call of a type, which was answered at the first attempt. */
function runOf(workflowType: string, activityType: string): ReturnType<typeof readRun> {
  const scheduled = {
    activityId: '1',
    activityType: { name: activityType },
    startToCloseTimeout: '5s',
    retryPolicy: { maximumAttempts: 2, initialInterval: '1s', backoffCoefficient: 2 },
  };
  const time = { eventTime: '2026-11-30T12:00:00Z' };
  return readRun({
    events: [
      {
        ...time,
        eventId: '1',
        workflowExecutionStartedEventAttributes: { workflowType: { name: workflowType } },
      },
      { ...time, eventId: '5', activityTaskScheduledEventAttributes: scheduled },
      {
        ...time,
        eventId: '6',
        activityTaskStartedEventAttributes: { scheduledEventId: '5', attempt: 1 },
      },
      { ...time, eventId: '7', activityTaskCompletedEventAttributes: { scheduledEventId: '5' } },
    ],
  });
}

const options = { writes: [], costMicros: new Map<string, number>(), threshold: 3 };

describe('an audit', () => {
  it('finds nothing in calls that are answered, however many', () => {
    let audit = initialAudit;
    for (let run = 0; run < 500; run += 1) audit = addRun(audit, runOf('task', 'look'));
    assert.deepEqual(findings(audit, options), []);
    assert.equal(audit.activities.look?.calls, 500);
  });

  it('does not grow beyond its names: what is too many is counted apart', () => {
    let audit = initialAudit;
    for (let run = 0; run < 1_500; run += 1)
      audit = addRun(audit, runOf(`task-${run}`, `look-${run}`));
    assert.equal(audit.runs, 1_500);
    assert.equal(Object.keys(audit.activities).length, 500);
    assert.equal(Object.keys(audit.workflows).length, 200);
    assert.equal(audit.beyond, 1_000 + 1_300);
  });

  it('finds tokens that failed attempts have used, of a real run', () => {
    const { history } = recorded('models.json');
    const found = findings(addRun(initialAudit, readRun(history)), options);
    const wasteful = found.filter(({ kind }) => kind === 'token-waste');
    assert.ok(wasteful.length > 0);
    for (const { evidence, severity } of wasteful) {
      assert.ok(Number(evidence.share) > 0.15);
      assert.equal(severity, Number(evidence.share) >= 0.5 ? 'high' : 'medium');
    }
    const { history: thrifty } = recorded('loop-answered.json');
    const other = findings(addRun(initialAudit, readRun(thrifty)), options);
    assert.ok(other.every(({ kind }) => kind !== 'token-waste'));
  });
});

/** A run as test/replay/record.ts has written it. */
function recorded(name: string): { readonly history: RawHistory } {
  return JSON.parse(readFileSync(projectFile('test/histories', name), 'utf8')) as {
    readonly history: RawHistory;
  };
}
