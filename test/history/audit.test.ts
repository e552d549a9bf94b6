import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { figuresOf } from '../../src/history/audit/activity-figures.js';
import { addRun, initialAudit } from '../../src/history/audit/audit.js';
import { chainNodes } from '../../src/history/audit/chain-nodes.js';
import { addGroup, effectiveTrials, noGroups } from '../../src/history/audit/effective-trials.js';
import { soundsLikeWrite } from '../../src/history/audit/find-writes.js';
import { findings } from '../../src/history/audit/findings.js';
import { addDurations, quantileMs, sketchError } from '../../src/history/audit/latency-sketch.js';
import { failureRateOf, risingRates } from '../../src/history/audit/rising-rates.js';
import { wilsonInterval } from '../../src/history/audit/wilson.js';
import { type RawHistory, readRun } from '../../src/history/read-history.js';
import { runOf, thrown } from '../support/history-of.js';
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

const options = { writes: [], costMicros: new Map<string, number>(), threshold: 3 };

/** Numbers in [0, 1) that are the same at each run (a linear congruential generator). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Failed attempts of a call, of at most four. */
const worlds = {
  'each attempt fails by itself': (random: () => number) => {
    let failed = 0;
    while (failed < 4 && random() < 0.3) failed += 1;
    return failed;
  },
  'a call fails at all of its attempts or at none': (random: () => number) =>
    random() < 0.2 ? 4 : 0,
};
const rates = {
  'each attempt fails by itself': 0.3,
  'a call fails at all of its attempts or at none': 0.8 / 1.6,
};

describe('the interval of the attempts of many calls', () => {
  for (const [world, fail] of Object.entries(worlds)) {
    it(`holds the rate 19 times of 20 where ${world}`, () => {
      const rate = rates[world as keyof typeof rates]; // the same names
      const random = seeded(1);
      const audits = 500;
      let held = 0;
      for (let audit = 0; audit < audits; audit += 1) {
        let sums = noGroups;
        for (let call = 0; call < 200; call += 1) {
          const failed = fail(random);
          sums = addGroup(sums, Math.min(4, failed + 1), failed);
        }
        const each = effectiveTrials(sums) / sums.trials;
        const { low, high } = wilsonInterval(sums.hits * each, sums.trials * each);
        if (low <= rate && rate <= high) held += 1;
      }
      assert.ok(held / audits > 0.93 && held / audits < 0.975, `${held} of ${audits}`);
    });
  }

  it('says as little of a thousand attempts of one call as of one', () => {
    const failure = thrown('Request failed with status code 503');
    const run = runOf({ activities: [{ attempts: 1_001, failureBefore: failure }] });
    const { look } = addRun(initialAudit, run).activities;
    assert.ok(look);
    const { failureRate, failureInterval } = figuresOf('look', look, options);
    assert.equal(failureRate, 1_000 / 1_001);
    assert.ok(failureInterval.low < 0.3 && failureInterval.high > 0.999);
  });

  it('counts every attempt of calls that took one each', () => {
    let sums = noGroups;
    for (let call = 0; call < 100; call += 1) sums = addGroup(sums, 1, call % 2);
    assert.ok(Math.abs(effectiveTrials(sums) - 99) < 1e-9, `${effectiveTrials(sums)}`);
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

describe('the nodes for the planner', () => {
  /** A hundred runs of one call, of which some fail at one, two or three attempts. */
  function nodeOf(failures: readonly number[]) {
    const failure = thrown('Request failed with status code 503');
    let audit = initialAudit;
    for (let index = 0; index < 100; index += 1) {
      const failed = failures[index] ?? 0;
      const call =
        failed === 3
          ? ({ attempts: 3, end: 'failed', failure } as const)
          : { attempts: failed + 1, failureBefore: failure };
      audit = addRun(audit, runOf({ activities: [call] }));
    }
    const [node] = chainNodes(audit, options)?.nodes ?? [];
    assert.ok(node);
    return node;
  }

  it('have the failure rate of first attempts, whatever retries did', () => {
    assert.equal(nodeOf(Array<number>(10).fill(3)).failureRate, 0.1);
    assert.equal(nodeOf(Array<number>(10).fill(1)).failureRate, 0.1);
  });

  it('have the rates of retries that were seen, the more of them the nearer', () => {
    // ten supposed retries that fail as the attempt before does, beside those that were seen
    const [first, second] = nodeOf(Array<number>(10).fill(3)).retryFailureRates ?? [];
    assert.equal(first, (10 + 1) / 20);
    assert.equal(second, (10 + 5.5) / 20);
    const [many] = nodeOf(Array<number>(90).fill(3)).retryFailureRates ?? [];
    assert.equal(many, 0.99);
  });

  it('have one rate for all attempts where no retry was seen', () => {
    assert.equal(nodeOf([]).retryFailureRates, undefined);
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

  it('holds attempts that timed out: they took as long as they were given', () => {
    const failure = { message: 'late', timeoutFailureInfo: { timeoutType: 1 } };
    const run = runOf({
      activities: [{ end: 'timed-out', failure, tookMs: 5_000 }, { tookMs: 1_000 }],
    });
    const { look } = addRun(initialAudit, run).activities;
    assert.deepEqual(look?.measured, { attempts: 2, totalMs: 6_000 });
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

describe('an audit', () => {
  it('finds nothing in calls that are answered, however many', () => {
    let audit = initialAudit;
    for (let run = 0; run < 500; run += 1) audit = addRun(audit, runOf({ activities: [{}] }));
    assert.deepEqual(findings(audit, options), []);
    assert.equal(audit.activities.look?.calls, 500);
  });

  it('says of which calls nobody knows the attempts: those that ended between two', () => {
    const canceled = { end: 'canceled', attempts: 0 } as const;
    const once = { ...canceled, retryPolicy: { maximumAttempts: 1 } };
    const left = { end: 'pending', attempts: 0 } as const;
    const run = runOf({ activities: [{}, canceled, left, once, { end: 'failed', attempts: 2 }] });
    assert.equal(addRun(initialAudit, run).activities.look?.uncounted, 2);
  });

  it('does not grow beyond its names: what is too many is counted apart', () => {
    let audit = initialAudit;
    for (let run = 0; run < 1_500; run += 1)
      audit = addRun(
        audit,
        runOf({ workflowType: `task-${run}`, activities: [{ type: `look-${run}` }] }),
      );
    assert.equal(audit.runs, 1_500);
    assert.equal(Object.keys(audit.activities).length, 500);
    assert.equal(Object.keys(audit.workflows).length, 200);
    assert.equal(audit.beyond, 1_000 + 1_300);
  });

  it('finds tokens that failed attempts have used, of a real run', () => {
    const { history } = recorded('models.json');
    const run = readRun(history);
    const found = findings([run, run, run].reduce(addRun, initialAudit), options);
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
