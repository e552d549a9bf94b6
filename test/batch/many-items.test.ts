import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type BatchRig, startBatchRig } from '../support/batch-rig.js';

let rig: BatchRig;

before(async () => {
  rig = await startBatchRig({
    workflows: 'light-workflows',
    dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': '100' },
  });
});
after(() => rig.stop());

describe('a batch of many items', () => {
  it('runs 400 items in a chain of short runs, each of them once', async () => {
    const lines = Array.from({ length: 400 }, (_, index) =>
      JSON.stringify(index % 100 === 7 ? { isBad: true } : {}),
    );
    await rig.write('many.jsonl', lines);
    const input = { file: 'many.jsonl', concurrency: 12 };
    const { failures, batchId, ...result } = await rig.result(input, { type: 'lightBatch' });
    assert.deepEqual(result, {
      kind: 'partial',
      total: 400,
      ok: 396,
      degraded: 0,
      failed: 4,
      cancelled: 0,
      repeated: 0,
      failedItems: '8,108,208,308',
    });
    assert.equal(failures.length, 4);
    const { runs, longest } = await chainOf(batchId);
    assert.ok(runs > 10, `${runs} runs`);
    assert.ok(longest < 300, `${longest} events in one run`);
  });
});

/** Returns how many runs a chain has, and the events of the longest. */
async function chainOf(
  workflowId: string,
): Promise<{ readonly runs: number; readonly longest: number }> {
  let runs = 0;
  let longest = 0;
  for await (const run of rig.client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
    runs += 1;
    longest = Math.max(longest, run.historyLength ?? 0);
  }
  return { runs, longest };
}
