import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { detailsOf } from '../support/details.js';
import { startTaskRig, type TaskRig } from '../support/task-rig.js';

let rig: TaskRig;
before(async () => {
  rig = await startTaskRig();
});
after(() => rig.stop());

describe('Current Details', () => {
  it('show the end of each call, by a fallback too, and the breaker that opened', async () => {
    const handle = await rig.start({
      tenant: 'many',
      steps: [
        { id: 'fine', tool: 'one_in_two', input: { failures: 1 } },
        { id: 'sum', tool: 'summarise', input: { failures: 9 }, fallback: { text: 'busy' } },
      ],
    });
    await handle.result();
    const details = await detailsOf(handle);
    assert.match(details, /\| one_in_two \| closed \| 0 \|/);
    assert.match(details, /\| text \| open since \d\d:\d\d:\d\d UTC, 0 rejected \| - \|/);
    assert.match(details, /197 of 200 free, 0 promised to running calls, 3 spent/);
    assert.match(details, /\| 1 \| fine \| one_in_two \| 2 \| ok \|/);
    assert.match(details, /\| 2 \| sum \| summarise \| 3 \| degraded \(attempts\) \|/);
    assert.doesNotMatch(details, /running \||planned/);
  });

  it('show a refused call, and no call that has ended as running', async () => {
    const handle = await rig.start({
      steps: [
        { id: 'sum', tool: 'summarise', input: { failures: 9 }, required: false },
        { id: 'again', tool: 'summarise', input: {}, required: false },
      ],
    });
    await handle.result();
    const details = await detailsOf(handle);
    assert.match(details, /open since \d\d:\d\d:\d\d UTC, 1 rejected/);
    assert.match(details, /\| 2 \| again \| summarise \| 0 \| rejected \(breaker-open\) \|/);
    assert.doesNotMatch(details, /\| running \|/);
  });

  it('count the planned steps that the table has no room for', async () => {
    const steps = Array.from({ length: 14 }, (_, index) => ({
      id: `step-${index}`,
      tool: 'summarise',
      input: index === 0 ? { takesMs: 3_000 } : {},
    }));
    const handle = await rig.start({ steps });
    let details = await detailsOf(handle);
    while (!details.includes('running |')) details = await detailsOf(handle);
    assert.match(details, /\| 1 \| step-0 \| summarise \| up to \d \| running \|/);
    assert.match(details, /\| step-10 \| summarise \| \| planned \|/);
    assert.doesNotMatch(details, /step-11/);
    assert.match(details, /and 3 more planned$/);
    await handle.terminate();
  });
});
