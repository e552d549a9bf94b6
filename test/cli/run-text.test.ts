import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { renderRun } from '../../src/cli/run/run-text.js';
import { progressOf } from '../../src/cli/run/watch-run.js';

function shown(result: unknown): readonly string[] {
  const run = { workflowId: 'w', runId: 'r', how: 'started', end: { kind: 'ok', result } } as const;
  return renderRun(run, (_style, text) => text).split('\n');
}

describe('the answer of a run', () => {
  const rows = [
    { name: 'a text', result: { text: 'a\u009b31mb\nc' }, lines: ['a\\u{9b}31mb', 'c'] },
    { name: 'JSON', result: { say: '\u009b31m' }, lines: ['{', '  "say": "\\u{9b}31m"', '}'] },
    { name: 'a word', result: '\u202e', lines: ['"\\u{202e}"'] },
    { name: 'nothing', result: null, lines: ['nothing'] },
  ];
  for (const { name, result, lines } of rows) {
    it(`is shown without what a terminal would obey: ${name}`, () => {
      assert.deepEqual(shown(result), ['w ended ok', ...lines]);
    });
  }
});

describe('how far a run is', () => {
  // all that progressOf asks of a client and of a run that nobody governs
  const client = {
    withDeadline: (_at: number, ask: () => Promise<unknown>) => ask(),
  } as unknown as Client;
  const pendingActivities = [{ activityType: { name: 'look' }, attempt: 2, maximumAttempts: 3 }];
  const handle = {
    describe: async () => ({ historyLength: 9, raw: { pendingActivities } }),
    query: async () => null,
  } as unknown as WorkflowHandle;

  for (const kind of ['other', 'batch'] as const) {
    it(`is told by its attempts where a run of the kind ${kind} has no report`, async () => {
      assert.equal(await progressOf(client, handle, kind), 'look: attempt 2 of 3');
    });
  }
});
