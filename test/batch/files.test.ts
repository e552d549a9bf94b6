import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type BatchRig, startBatchRig } from '../support/batch-rig.js';

let rig: BatchRig;

before(async () => {
  rig = await startBatchRig();
});
after(() => rig.stop());

describe('a batch of a file', () => {
  it('runs a workflow for each line; a bad one is a failed item', async () => {
    await rig.write('mixed.jsonl', ['{}', '{"end":"fail"}', '', 'no json', '{"id":"five"}']);
    const result = await rig.result({ file: 'mixed.jsonl' });
    assert.deepEqual(
      [result.total, result.ok, result.failed, result.failedItems],
      [4, 2, 2, '2,4'],
    );
    const bad = result.failures.find(({ number }) => number === 4);
    assert.equal(bad?.workflowId, null);
    assert.match(bad?.reason ?? '', /^line 4 is not JSON: /);
  });

  it('runs the lines again that failed, once they are mended', async () => {
    await rig.write('mended.jsonl', ['{}', 'no json', '{}']);
    const { failedItems: only, batchId } = await rig.result({ file: 'mended.jsonl' });
    await rig.write('mended.jsonl', ['{}', '{}', '{}']);
    const again = await rig.result({ file: 'mended.jsonl', only, batchId });
    assert.deepEqual([again.kind, again.total, again.ok], ['ok', 1, 1]);
  });

  it('fails where its file can’t be read, and says why', async () => {
    const handle = await rig.start({ file: '../elsewhere.jsonl' });
    await assert.rejects(handle.result(), (error: Error) => {
      const { message } = ((error.cause as Error).cause as Error | undefined) ?? error; // the activity's failure
      assert.match(message, /batch\.file must lie below the folder/);
      return true;
    });
  });
});
