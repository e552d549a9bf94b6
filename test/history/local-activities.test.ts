import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addRun, initialAudit } from '../../src/history/audit/audit.js';
import { reportRuns } from '../../src/history/report.js';
import { payload, runOf, thrown } from '../support/history-of.js';

const at = { seconds: 1_796_040_000, nanos: 0 };
const later = { seconds: 1_796_040_002, nanos: 500_000_000 };
const epochMs = 1_796_040_000_000;

function marker(
  name: string,
  details: Readonly<Record<string, unknown>>,
  failure?: object,
): object {
  const payloads = Object.entries(details).map(
    ([part, value]) => [part, { payloads: [payload(value)] }] as const,
  );
  const attributes = { markerName: name, details: Object.fromEntries(payloads), failure };
  return { markerRecordedEventAttributes: attributes };
}

/** The marker of each family of SDKs, of a local activity that took three attempts. */
const markers = {
  Core: marker('core_local_activity', {
    data: {
      seq: 1,
      attempt: 3,
      activity_id: '1',
      activity_type: 'look',
      original_schedule_time: at,
      complete_time: later,
      backoff: null,
    },
    result: 'fine',
  }),
  Go: marker('LocalActivity', {
    data: {
      ActivityID: '1',
      ActivityType: 'look',
      ReplayTime: new Date(epochMs + 2_500).toISOString(),
      Attempt: 3,
      Backoff: 0,
    },
    result: 'fine',
  }),
  Java: marker('LocalActivity', {
    activityId: '1',
    type: 'look',
    time: epochMs + 2_500,
    meta: { firstSkd: epochMs, atpt: 3, backoff: null },
    result: 'fine',
  }),
};

const down = thrown('Request failed with status code 503');

/** The marker of an attempt after which the workflow waits by a timer, and that of the next one. */
function waited(attempt: number): object {
  const data = {
    attempt,
    activity_type: 'look',
    original_schedule_time: at,
    complete_time: later,
    backoff: { seconds: 60, nanos: 0 },
  };
  return marker('core_local_activity', { data }, down);
}

describe('a local activity', () => {
  for (const [sdk, event] of Object.entries(markers)) {
    it(`is read from the marker that ${sdk} writes`, () => {
      const run = runOf({ rest: [event] });
      const [call] = reportRuns([run]).runs[0]?.calls ?? [];
      assert.ok(call);
      const { type, isLocal, end, attempts, attemptsKnown, backoffMs } = call;
      assert.deepEqual(
        { type, isLocal, end, attempts, attemptsKnown, backoffMs },
        {
          type: 'look',
          isLocal: true,
          end: 'completed',
          attempts: 3,
          attemptsKnown: true,
          backoffMs: null,
        },
      );
      const { look } = addRun(initialAudit, run).activities;
      assert.deepEqual([look?.calls, look?.made, look?.failed], [1, [1, 1, 1], [1, 1]]);
    });
  }

  it('has no length: the times of its marker are those of its workflow task', () => {
    const [call] = reportRuns([runOf({ rest: [markers.Core] })]).runs[0]?.calls ?? [];
    assert.deepEqual(
      [call?.beforeLastAttemptMs, call?.queuedMs, call?.lastAttemptMs],
      [0, 0, null],
    );
    const audit = addRun(initialAudit, runOf({ rest: [markers.Core] }));
    assert.equal(audit.activities.look?.measured.attempts, 0);
  });

  it('is one call over the timers of its backoff', () => {
    const last = marker('core_local_activity', {
      data: { attempt: 3, activity_type: 'look', original_schedule_time: at },
    });
    const { activities } = runOf({ rest: [waited(1), waited(2), last] });
    assert.deepEqual(
      activities.map(({ attempts, end, lastFailure }) => [attempts, end, lastFailure?.class]),
      [[3, 'completed', 'server']],
    );
  });

  it('is under way between two attempts, and left behind when its run ends', () => {
    const ends = [null, { workflowExecutionTerminatedEventAttributes: {} }].map(
      (ended) => runOf({ rest: [waited(2)], ended }).activities[0]?.end,
    );
    assert.deepEqual(ends, ['pending', 'abandoned']);
  });

  it('that failed or was cancelled says so', () => {
    const data = { attempt: 2, activity_type: 'look' };
    const canceled = { message: 'off', canceledFailureInfo: {} };
    const ends = [down, canceled].map((failure) => {
      const [activity] = runOf({
        rest: [marker('core_local_activity', { data }, failure)],
      }).activities;
      return [activity?.end, activity?.lastFailure?.class];
    });
    assert.deepEqual(ends, [
      ['failed', 'server'],
      ['canceled', 'cancelled'],
    ]);
  });

  it('whose marker a codec keeps counts as a call of at least one attempt', () => {
    const hidden = { payloads: [{ metadata: { encoding: 'eA==' }, data: 'AAAA' }] };
    const attributes = { markerName: 'core_local_activity', details: { data: hidden } };
    const [activity] = runOf({ rest: [{ markerRecordedEventAttributes: attributes }] }).activities;
    assert.deepEqual([activity?.attempts, activity?.attemptsKnown], [1, false]);
  });

  it('stands in its place among other activities, and other markers are none', () => {
    const { activities } = runOf({
      activities: [{ type: 'first' }],
      rest: [markers.Core, marker('core_patch', { 'patch-data': { id: 'x' } })],
    });
    assert.deepEqual(
      activities.map(({ type }) => type),
      ['first', 'look'],
    );
  });
});

describe('what a reset has copied', () => {
  const reset = { workflowTaskFailedEventAttributes: { baseRunId: 'r1', newRunId: 'r2' } };

  it('counts in the run that it was copied from, and in the calls of the whole chain', () => {
    const run = runOf({ activities: [{}, { end: 'pending' }], rest: [markers.Core, reset] });
    assert.deepEqual(
      run.activities.map(({ isCopied }) => isCopied),
      [true, false, true],
    );
    const audit = addRun(initialAudit, run);
    assert.equal(audit.activities.look?.calls, 1);
    assert.equal(audit.workflows.task?.steps.look?.completedCalls, 3);
  });

  it('is nothing where a workflow task failed by itself', () => {
    const failed = { workflowTaskFailedEventAttributes: { baseRunId: '', newRunId: '' } };
    assert.equal(runOf({ activities: [{}], rest: [failed] }).activities[0]?.isCopied, false);
  });
});
