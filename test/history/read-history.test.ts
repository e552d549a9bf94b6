import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import fc from 'fast-check';
import { type RawHistory, readRun } from '../../src/history/read-history.js';
import { readRecording, recordingNames } from '../support/recording.js';

type Event = Record<string, unknown>;

const names = await recordingNames();
const recordings = new Map<string, { readonly events: Event[] }>();
for (const name of names) {
  const { history } = await readRecording(name);
  recordings.set(name, history as { events: Event[] }); // the form in which recordings are saved
}

function eventsOf(name: string): Event[] {
  const recording = recordings.get(name);
  assert.ok(recording, `there is no recording ${name}`);
  return recording.events;
}

function payload(value: unknown): object {
  return {
    metadata: { encoding: Buffer.from('json/plain').toString('base64') },
    data: Buffer.from(JSON.stringify(value)).toString('base64'),
  };
}

/** A history of one activity, of which the last event tells the end. */
function historyOf(ended: Event, started: Event = { attempt: 1 }): RawHistory {
  return {
    events: [
      {
        eventId: '1',
        eventTime: '2026-01-01T00:00:00Z',
        workflowExecutionStartedEventAttributes: {},
      },
      {
        eventId: '5',
        eventTime: '2026-01-01T00:00:01Z',
        activityTaskScheduledEventAttributes: { activityId: 'a', activityType: { name: 'fetch' } },
      },
      {
        eventId: '6',
        eventTime: '2026-01-01T00:00:09.5Z',
        activityTaskStartedEventAttributes: { scheduledEventId: '5', ...started },
      },
      { eventId: '7', eventTime: '2026-01-01T00:00:10Z', ...ended },
    ],
  };
}

function failedWith(failure: object): RawHistory {
  return historyOf({ activityTaskFailedEventAttributes: { scheduledEventId: '5', failure } });
}

function onlyActivity(history: RawHistory) {
  const [activity, ...others] = readRun(history).activities;
  assert.ok(activity);
  assert.deepEqual(others, []);
  return activity;
}

describe('readRun', () => {
  it('tells the same of every recording in JSON and in protobuf', () => {
    for (const [name, history] of recordings) {
      const facts = readRun(history);
      assert.deepEqual(readRun(historyFromJSON(structuredClone(history))), facts, name);
      assert.equal(facts.events, history.events.length);
    }
  });

  it('tells plain JSON', () => {
    for (const [name, history] of recordings) {
      const facts = readRun(history);
      assert.deepEqual(JSON.parse(JSON.stringify(facts)), facts, name);
    }
  });

  it('reads any events in any order, with any fields lost or made nonsense of', () => {
    const all = [...recordings.values()].flatMap(({ events }) => events);
    const spoil = fc.record({
      seed: fc.nat(),
      junk: fc.constantFrom<unknown>(null, 7, 'x', [], {}),
    });
    const pick = fc.array(fc.tuple(fc.nat(all.length - 1), fc.option(spoil)), { maxLength: 60 });
    fc.assert(
      fc.property(pick, (picked) => {
        const events = picked.map(([index, spoiled]) =>
          spoiled === null ? all[index] : spoilt(all[index], spoiled),
        );
        const facts = readRun({ events: events as object[] }); // whatever they are
        assert.equal(facts.events, events.length);
        assert.deepEqual(JSON.parse(JSON.stringify(facts)), facts);
      }),
      { numRuns: 300 },
    );
  });

  it('tells of each beginning of a history what has happened until then', () => {
    for (const [name, { events }] of recordings) {
      const { activities: whole } = readRun({ events });
      for (let length = 0; length <= events.length; length += 1) {
        const { activities, status } = readRun({ events: events.slice(0, length) });
        if (length < events.length) assert.equal(status, 'running', `${name} after ${length}`);
        const ids = activities.map(({ eventId }) => eventId);
        assert.deepEqual(
          ids,
          whole.slice(0, ids.length).map(({ eventId }) => eventId),
        );
      }
    }
  });

  it('reads a lost worker as an interruption, and the sums that its heartbeat has left', () => {
    const [lost, again] = readRun({ events: eventsOf('worker-lost') }).activities;
    assert.ok(lost?.call && again?.call);
    assert.equal(lost.end, 'interrupted');
    assert.equal(lost.call.failedAttempts, 1);
    assert.equal(again.end, 'completed');
    assert.equal(again.call.failedBefore, 1);
    assert.equal(again.activityId, lost.activityId);
  });

  it('reads what the gate let a write wait for, and why it stopped', () => {
    const [killed, waited, stopped] = readRun({ events: eventsOf('write-killed') }).activities;
    assert.equal(killed?.end, 'interrupted');
    assert.deepEqual(waited?.call?.wait, { what: 'claim', waitMs: 3660 });
    assert.equal(waited?.lastFailure, null);
    assert.equal(stopped?.call?.stop, 'effect-unknown');
    assert.equal(stopped?.call?.effect, 'write');
  });

  it('reads tokens and money of models, useful and wasted', () => {
    const { activities } = readRun({ events: eventsOf('models') });
    const stopped = activities.find(({ call }) => call?.stop === 'token-budget');
    assert.ok(stopped?.call);
    assert.equal(stopped.call.tokensUseful, 0);
    assert.ok((stopped.call.tokensWasted ?? 0) > 0);
  });

  it('tells governed runs from others', () => {
    assert.equal(readRun({ events: eventsOf('plain-ungoverned') }).isGoverned, false);
    assert.equal(readRun({ events: eventsOf('plain-patched') }).isGoverned, true);
    assert.equal(readRun({ events: eventsOf('answered') }).isGoverned, true);
  });

  it('follows a chain in both directions', () => {
    const runs = [1, 2, 3].map((run) => readRun({ events: eventsOf(`continue-as-new-${run}`) }));
    assert.deepEqual(
      runs.map(({ status }) => status),
      ['continued-as-new', 'continued-as-new', 'completed'],
    );
    assert.equal(runs[0]?.continuedAs, runs[1]?.runId);
    assert.equal(runs[2]?.continuedFrom, runs[1]?.runId);
  });

  it('counts what its run has left behind as cancelled or abandoned', () => {
    const { activities } = readRun({ events: eventsOf('cancelled-in-backoff') });
    assert.equal(activities[0]?.end, 'canceled');
    assert.equal(activities[0]?.attemptsKnown, false);
  });

  it('keeps apart what a codec hides: no sums, yet the end and the class', () => {
    const hidden = {
      metadata: { encoding: Buffer.from('binary/encrypted').toString('base64') },
      data: 'AAAA',
    };
    const events = eventsOf('worker-shut-down').map((event) =>
      JSON.parse(JSON.stringify(event), (key, value) =>
        key === 'details' || key === 'result' ? { payloads: [hidden] } : value,
      ),
    );
    const [shutDown, again] = readRun({ events }).activities;
    assert.equal(shutDown?.end, 'interrupted');
    assert.equal(shutDown?.call?.failedAttempts, null);
    const started = readRun({ events: events.slice(0, 6) }).activities[0];
    assert.equal(started?.lastFailure?.class, 'server');
    assert.equal(again?.call?.tokensWasted, null);
    assert.equal(again?.call?.failedBefore, 1);
  });
});

describe('failures that a codec keeps', () => {
  const hidden = { payloads: [{ metadata: { encoding: 'eA==' }, data: 'AAAA' }] };
  it("are known by holdfast's own class, which is their type", () => {
    for (const [type, retryable] of [
      ['network', true],
      ['auth', false],
    ] as const) {
      const failure = {
        message: 'Encoded failure',
        applicationFailureInfo: { type, details: hidden },
      };
      const { lastFailure } = onlyActivity(failedWith(failure));
      assert.deepEqual([lastFailure?.class, lastFailure?.retryable], [type, retryable]);
    }
  });
});

describe('failures of plain activities', () => {
  const table = [
    ['connect ECONNREFUSED 127.0.0.1:80', 'Error', 'network', true],
    ['Invalid API key', 'AuthenticationError', 'auth', false],
    ['Request failed with status code 503', 'AxiosError', 'server', true],
    ['whatever', 'java.lang.IllegalStateException', 'unknown', true],
  ] as const;
  for (const [message, type, expected, retryable] of table) {
    it(`takes "${message}" for ${expected}`, () => {
      const failure = { message, applicationFailureInfo: { type } };
      const { lastFailure } = onlyActivity(failedWith(failure));
      assert.deepEqual(lastFailure, {
        message,
        type,
        nonRetryable: false,
        class: expected,
        retryable,
      });
    });
  }

  it('takes no failure that is marked as non-retryable for one that is worth a retry', () => {
    const failure = { message: 'no', applicationFailureInfo: { type: 'No', nonRetryable: true } };
    assert.equal(onlyActivity(failedWith(failure)).lastFailure?.retryable, false);
  });

  it('names the timeout in every spelling', () => {
    for (const timeoutType of ['TIMEOUT_TYPE_START_TO_CLOSE', 'StartToClose', 1]) {
      const failure = { message: 'late', timeoutFailureInfo: { timeoutType } };
      const ended = { activityTaskTimedOutEventAttributes: { scheduledEventId: 5, failure } };
      const activity = onlyActivity(historyOf(ended));
      assert.equal(activity.end, 'timed-out');
      assert.equal(activity.lastFailure?.type, 'TIMEOUT_TYPE_START_TO_CLOSE');
    }
  });

  it('reads a message that its converter has put apart', () => {
    const failure = {
      message: 'Encoded failure',
      encodedAttributes: payload({ message: 'fetch failed' }),
    };
    assert.equal(onlyActivity(failedWith(failure)).lastFailure?.class, 'network');
  });

  it('takes times and attempts as they are written', () => {
    const retryState = 'MaximumAttemptsReached';
    const started = {
      attempt: 4,
      lastFailure: { message: 'x', applicationFailureInfo: { nextRetryDelay: '1.250s' } },
    };
    const ended = { activityTaskFailedEventAttributes: { scheduledEventId: '5', retryState } };
    const activity = onlyActivity(historyOf(ended, started));
    assert.equal(activity.attempts, 4);
    assert.equal(activity.lastDelayMs, 1_250);
    assert.equal(activity.retryState, 'MAXIMUM_ATTEMPTS_REACHED');
    assert.equal((activity.startedAt ?? 0) - activity.scheduledAt, 8_500);
    assert.equal((activity.endedAt ?? 0) - (activity.startedAt ?? 0), 500);
  });

  it('does not know how many attempts went before a timeout that came between two of them', () => {
    const cause = { message: 'fetch failed', applicationFailureInfo: { type: 'Error' } };
    const failure = { message: 'late', timeoutFailureInfo: { timeoutType: 3 }, cause };
    const { events = [] } = historyOf({
      activityTaskTimedOutEventAttributes: { scheduledEventId: '5', failure },
    });
    const activity = onlyActivity({ events: (events ?? []).filter((_, index) => index !== 2) });
    assert.equal(activity.attemptsKnown, false);
    assert.equal(activity.attempts, 1);
    assert.equal(activity.lastFailure?.message, 'fetch failed');
  });
});

/** Puts junk in the place of one field, chosen by a number, at any depth. */
function spoilt(value: unknown, { seed, junk }: { seed: number; junk: unknown }): unknown {
  if (typeof value !== 'object' || value === null) return junk;
  const keys = Object.keys(value);
  const key = keys[seed % Math.max(1, keys.length)];
  if (key === undefined) return junk;
  const inner: unknown = Reflect.get(value, key);
  const next = Math.floor(seed / Math.max(1, keys.length));
  return { ...value, [key]: next % 3 === 0 ? junk : spoilt(inner, { seed: next, junk }) };
}
