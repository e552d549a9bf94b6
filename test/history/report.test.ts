import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { RunState } from '../../src/contract/run-state.js';
import { type RawHistory, readRun } from '../../src/history/read-history.js';
import { reportRuns } from '../../src/history/report.js';
import type { RunFacts } from '../../src/history/run-facts.js';
import { projectFile } from '../support/root.js';

type Recorded = {
  readonly state?: RunState | null;
  readonly history: { readonly events: object[] };
};

function recorded(name: string): Recorded {
  // written by test/replay/record.ts
  return JSON.parse(readFileSync(projectFile('test', 'histories', name), 'utf8')) as Recorded;
}

const names = readdirSync(projectFile('test', 'histories')).sort();

/** Histories whose state counts something else than their activities; a run that goes on counts those before it, too. */
const countedApart = new Set([
  'budget-continued.json', // asks for what another run spent
  'loop-answered.json', // a read that the model repeats counts as a retry
  'policy-changed.json', // one of its calls is made while the policy is off
  'policy-loaded.json', // loads its policy
  'saga-undone.json', // undoing has a budget of its own
  'task-cancelled-undone.json',
  'task-undone.json',
  'undo-interrupted.json',
  'write-settled-done.json', // a person's word is an activity, and no attempt
  'write-settled-twice.json',
]);

describe('a recorded history', () => {
  for (const name of names) {
    const { state, history } = recorded(name);
    if (state?.run === 1 && !countedApart.has(name)) {
      it(`tells what the governor counted: ${name}`, () => {
        const { attempts, retries, spent } = reportRuns([readRun(history)]).totals;
        const { tokensUseful: useful = 0, tokensWasted: wasted = 0 } = spent ?? {};
        assert.deepEqual(
          { attempts, retries, tokens: { useful, wasted } },
          { attempts: state.attempts, retries: state.retries, tokens: state.tokens },
        );
      });
    }
  }
});

const events = names.flatMap((name) => recorded(name).history.events);

describe('a history with anything in it', () => {
  it('is read as far as it goes, cut off anywhere and without any of its events', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(60), fc.nat(60), (name, start, length) => {
        const part = recorded(name).history.events.slice(start, start + length);
        const facts = readRun({ events: part });
        assert.equal(facts.events, part.length);
        assertWhole(facts);
      }),
      { numRuns: 200 },
    );
  });

  it('is read with values of any kind in place of what an event says', () => {
    const spoilt = fc
      .tuple(fc.constantFrom(...events), fc.anything())
      .map(([event, value]) => spoil(event, value));
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...events), spoilt, fc.object()), { maxLength: 30 }),
        (list) => {
          assertWhole(readRun({ events: list }));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is read where payloads are kept by a codec', () => {
    const { history } = recorded('retried-success.json');
    const text = JSON.stringify(history).replaceAll('anNvbi9wbGFpbg==', 'YmluYXJ5L2VuY3J5cHRlZA=='); // json/plain, binary/encrypted
    const facts = readRun(JSON.parse(text) as RawHistory); // the same history
    assert.deepEqual(
      facts.activities.map(({ type, attempts, call }) => ({ type, attempts, call })),
      [
        { type: 'look', attempts: 3, call: null },
        { type: 'search', attempts: 2, call: null },
      ],
    );
  });
});

const scheduled = {
  eventId: '1',
  eventTime: '2026-11-30T12:00:00Z',
  activityTaskScheduledEventAttributes: { activityId: '1', activityType: { name: 'look' } },
};

/** Returns what a report says of the waits of a plain activity that took so many attempts. */
function backoffOf(attempt: number, retryPolicy: object): number | null | undefined {
  const attributes = { ...scheduled.activityTaskScheduledEventAttributes, retryPolicy };
  const started = { scheduledEventId: '1', attempt };
  const { runs } = reportRuns([
    readRun({
      events: [
        { ...scheduled, activityTaskScheduledEventAttributes: attributes },
        { eventId: '2', activityTaskStartedEventAttributes: started },
      ],
    }),
  ]);
  return runs[0]?.calls[0]?.backoffMs;
}

describe('the waits of a plain activity', () => {
  it('are the sum of the intervals between its attempts, each at most the longest one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 60 }),
        fc.constantFrom(1, 1.1, 1.5, 2, 3),
        fc.integer({ min: 1, max: 3_600 }),
        (attempts, initialSeconds, backoffCoefficient, mostSeconds) => {
          let sumMs = 0;
          for (let retry = 0; retry < attempts - 1; retry += 1) {
            sumMs += 1_000 * Math.min(mostSeconds, initialSeconds * backoffCoefficient ** retry);
          }
          const backoffMs = backoffOf(attempts, {
            initialInterval: `${initialSeconds}s`,
            maximumInterval: `${mostSeconds}s`,
            backoffCoefficient,
          });
          assert.ok(Math.abs((backoffMs ?? 0) - sumMs) <= 1e-6 * sumMs, `${backoffMs} ${sumMs}`);
        },
      ),
    );
  });

  it('are summed at once for as many attempts as a history can hold', () => {
    const policy = {
      initialInterval: '1s',
      maximumInterval: '100s',
      backoffCoefficient: 1.0000001,
    };
    const backoffMs = backoffOf(2 ** 31 - 1, policy);
    assert.ok(
      backoffMs !== null && backoffMs !== undefined && backoffMs > 2e14 && backoffMs < 2.2e14,
    );
  });
});

/** Puts a value in the place of each thing that an event's attributes say. */
function spoil(event: object, value: unknown): object {
  const parts = Object.entries(event).map(([name, part]) => {
    const isAttributes = name.endsWith('Attributes');
    const keys = isAttributes ? Object.keys(part as object) : []; // attributes are an object
    return [
      name,
      isAttributes ? Object.fromEntries(keys.map((key) => [key, value])) : part,
    ] as const;
  });
  return Object.fromEntries(parts);
}

function assertWhole(facts: RunFacts): void {
  const { totals, runs } = reportRuns([facts]);
  for (const call of runs[0]?.calls ?? []) {
    const { attempts, retries, beforeLastAttemptMs, queuedMs, backoffMs } = call;
    for (const figure of [attempts, retries, beforeLastAttemptMs, queuedMs, backoffMs ?? 0]) {
      assert.ok(figure >= 0, JSON.stringify(call));
    }
  }
  assert.ok(totals.attempts >= totals.retries);
}
