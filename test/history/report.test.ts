import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readRun } from '../../src/history/read-history.js';
import { reportRuns, type Totals } from '../../src/history/report.js';
import type { RunFacts } from '../../src/history/run-facts.js';
import { readRecording, recordingNames } from '../support/recording.js';

async function recorded(name: string): Promise<RunFacts> {
  const { history } = await readRecording(name);
  return readRun(history);
}

/** What a history holds beside what its run's state counts, and why. */
const beside: Readonly<Record<string, { readonly attempts: number; readonly retries: number }>> = {
  // holdfast's own activities, which the run isn't charged with
  'budget-continued': { attempts: 1, retries: 0 },
  'policy-loaded': { attempts: 1, retries: 0 },
  // the state goes on from one run to the next
  'continue-as-new-2': { attempts: -3, retries: -1 },
  'continue-as-new-3': { attempts: -6, retries: -2 },
  'indexed-continued-2': { attempts: -2, retries: -1 },
  // a read that the model has repeated is charged as a retry, and no attempt is sent
  'loop-answered': { attempts: 0, retries: -1 },
  // the policy was switched off in mid-run
  'policy-changed': { attempts: 3, retries: 1 },
};

function figures({ attempts, retries, spent }: Totals) {
  return { attempts, retries, tokensWasted: spent?.tokensWasted ?? 0 };
}

describe('reportRuns', () => {
  it('counts attempts, retries and wasted tokens as the governor of each recorded run did', async () => {
    for (const name of await recordingNames()) {
      const { state, history } = await readRecording(name);
      if (state === null) continue;
      const { totals } = reportRuns([readRun(history)]);
      const { attempts, retries } = beside[name] ?? { attempts: 0, retries: 0 };
      assert.deepEqual(
        figures(totals),
        {
          attempts: state.attempts + (state.undo?.attempts ?? 0) + attempts,
          retries: state.retries + (state.undo?.retries ?? 0) + retries,
          tokensWasted: state.tokens.wasted + (state.undo?.tokens.wasted ?? 0),
        },
        name,
      );
    }
  });

  it('sums a chain of runs', async () => {
    const chain = await Promise.all([1, 2, 3].map((run) => recorded(`continue-as-new-${run}`)));
    const { runs, totals, types } = reportRuns(chain);
    assert.equal(runs.length, 3);
    assert.deepEqual(figures(totals), { attempts: 9, retries: 3, tokensWasted: 0 });
    assert.deepEqual(
      types.map(({ type, calls, retries }) => ({ type, calls, retries })),
      [
        { type: 'look', calls: 3, retries: 3 },
        { type: 'slow', calls: 3, retries: 0 },
      ],
    );
    assert.equal(totals.amplification, 1.5);
  });

  it('shows a call that a person had to settle twice as one call', async () => {
    const [run] = reportRuns([await recorded('write-settled-twice')]).runs;
    assert.equal(run?.calls.length, 1);
    assert.equal(run?.calls[0]?.schedulings, 3);
    assert.equal(run?.calls[0]?.end, 'completed');
    assert.equal(run?.calls[0]?.attempts, 2);
  });

  it('shows what the gate did about a call: interruptions, waits, why it stopped', async () => {
    const [run] = reportRuns([await recorded('write-killed')]).runs;
    const [call] = run?.calls ?? [];
    assert.equal(call?.schedulings, 3);
    assert.deepEqual(call?.gate, {
      downstream: 'mail',
      effect: 'write',
      isObserved: false,
      share: 2,
      interruptions: 1,
      waits: [{ what: 'claim', waitMs: 3660 }],
      stop: 'effect-unknown',
      isReplayed: false,
    });
  });

  it('names an answer that the ledger gave', async () => {
    const [run] = reportRuns([await recorded('write-replayed')]).runs;
    const [sent, replayed] = run?.calls ?? [];
    assert.equal(sent?.gate?.isReplayed, false);
    assert.equal(replayed?.gate?.isReplayed, true);
    assert.equal(replayed?.attempts, 0);
  });

  it('tells the waits that the retry policy set from the time that attempts took', async () => {
    const plain = await recorded('plain-ungoverned');
    const [run] = reportRuns([plain]).runs;
    const [call] = run?.calls ?? [];
    const [activity] = plain.activities;
    assert.ok(call && activity?.startedAt);
    assert.equal(call.attempts, 2);
    assert.equal(call.backoffMs, activity.retryPolicy.initialIntervalMs);
    assert.equal(call.beforeLastAttemptMs, activity.startedAt - activity.scheduledAt);
    assert.equal(call.queuedMs, 0);
    assert.equal(call.spent, null);
    assert.equal(call.gate, null);
  });

  it('sums the waits of a million attempts, whose policy has a cap, at once', async () => {
    const plain = await recorded('plain-ungoverned');
    const [activity] = plain.activities;
    assert.ok(activity);
    const retryPolicy = {
      ...activity.retryPolicy,
      initialIntervalMs: 1_000,
      backoffCoefficient: 2,
      maximumIntervalMs: 4_000,
    };
    const tried = { ...activity, attempts: 1_000_001, retryPolicy, lastDelayMs: null };
    const [run] = reportRuns([{ ...plain, activities: [tried] }]).runs;
    assert.equal(run?.calls[0]?.backoffMs, 1_000 + 2_000 + 4_000 * 999_998);
  });

  it('counts retries in vain where the error is one that no retry mends', async () => {
    const plain = await recorded('plain-ungoverned');
    const [activity] = plain.activities;
    assert.ok(activity);
    const lastFailure = {
      message: 'no key',
      type: null,
      nonRetryable: false,
      class: 'auth',
      retryable: false,
    } as const;
    const lost = {
      ...activity,
      end: 'failed',
      attempts: 5,
      retryState: 'MAXIMUM_ATTEMPTS_REACHED',
      lastFailure,
    } as const;
    assert.equal(reportRuns([{ ...plain, activities: [lost] }]).totals.retriesInVain, 4);
    const stopped = { ...lost, retryState: 'NON_RETRYABLE_FAILURE' };
    assert.equal(reportRuns([{ ...plain, activities: [stopped] }]).totals.retriesInVain, 0);
  });

  it('counts no call twice where its user names activities by one id', async () => {
    const plain = await recorded('plain-ungoverned');
    const activities = plain.activities.map((activity) => ({ ...activity, activityId: 'mine' }));
    assert.equal(reportRuns([{ ...plain, activities }]).totals.calls, 2);
  });

  it('reports a run that has called nothing', async () => {
    const { totals } = reportRuns([await recorded('answered')]);
    assert.equal(totals.calls, 0);
    assert.equal(totals.amplification, null);
  });
});
