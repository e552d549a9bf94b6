import assert from 'node:assert/strict';
import { hostname, userInfo } from 'node:os';
import { before, describe, it } from 'node:test';
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker';
import type { RunState } from 'holdfast/contract';
import { replayState } from 'holdfast/testing';
import { readRecording, readRecordingText, recordingNames } from '../support/recording.js';
import { bundleFixture, replayPlugin } from '../support/replay-bundle.js';
import { scenarios } from './scenarios.js';

const plugin = replayPlugin();
const names = await recordingNames();

describe('a recorded history', () => {
  let bundle: WorkflowBundleWithSourceMap;

  before(async () => {
    bundle = await bundleFixture('workflows.js', plugin);
  });

  for (const name of names) {
    it(`replays to the state that its governor had: ${name}`, async () => {
      const { state } = await readRecording(name);
      assert.deepEqual(await replay(name, bundle), state);
    });

    it(`tells nothing of the machine that recorded it: ${name}`, async () => {
      const text = opened(await readRecordingText(name));
      assert.doesNotMatch(text, /\/(?:home|root|tmp|usr|work|Users)\/|file:\/\/|[A-Z]:\\\\/);
      assert.doesNotMatch(text, /\d+@/, 'a worker that signs as pid@host');
      for (const own of [hostname(), userInfo().username].filter((word) => word.length > 4)) {
        assert.ok(!text.includes(own), own);
      }
    });
  }

  it('exists for every scenario', () => {
    const missing = Object.keys(scenarios).filter(
      (name) => !names.includes(name) && !names.includes(`${name}-1`),
    );
    assert.deepEqual(missing, []);
  });
});

describe('a changed workflow', () => {
  let bundle: WorkflowBundleWithSourceMap;

  before(async () => {
    bundle = await bundleFixture('changed-workflows.js', plugin);
  });

  const otherCommands = {
    'calls its activities in another order': 'success',
    'starts its timer before its activity': 'activity-and-timer',
    'calls a plain activity more': 'plain-started-by-plugin',
  };
  for (const [change, name] of Object.entries(otherCommands)) {
    it(`fails the replay where it ${change}`, async () => {
      await assert.rejects(replay(name, bundle), /Nondeterminism/);
    });
  }

  it('passes the replay under another retry budget, and fails the comparison of its state', async () => {
    const { state } = await readRecording('task-ok');
    const changed = await replay('task-ok', bundle);
    assert.equal(state?.pool.total, 6);
    assert.equal(changed?.pool.total, 5);
    assert.throws(() => assert.deepEqual(changed, state), assert.AssertionError);
  });

  it('passes the replay under another breaker threshold, and fails the comparison of its state', async () => {
    const { state } = await readRecording('task-failed');
    const changed = await replay('task-failed', bundle);
    assert.deepEqual(kindsOf(state), { orders: 'open' });
    assert.deepEqual(kindsOf(changed), { orders: 'closed' });
    assert.throws(() => assert.deepEqual(changed, state), assert.AssertionError);
  });
});

async function replay(
  name: string,
  workflowBundle: WorkflowBundleWithSourceMap,
): Promise<RunState | null> {
  const { history, workflowId } = await readRecording(name);
  return replayState({ plugin, workflowBundle, history, workflowId });
}

function kindsOf(state: RunState | null): Record<string, string> {
  const breakers = Object.entries(state?.breakers ?? {});
  return Object.fromEntries(breakers.map(([name, { kind }]) => [name, kind]));
}

/** Returns a recording's text with its payloads, which are base64, made readable. */
function opened(text: string): string {
  return text.replace(/"[A-Za-z0-9+/]{8,}={0,2}"/g, (quoted) =>
    Buffer.from(quoted.slice(1, -1), 'base64').toString('utf8'),
  );
}
