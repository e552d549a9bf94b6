import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RatioBudget } from '../../src/budget/index.js';
import { RetryWindows } from '../../src/limits/retry-windows.js';

const ratio = { percent: 10, windowMs: 10_000, minSamples: 100 };

describe('the windows of retry budgets', () => {
  const windows = () => new RetryWindows((key) => new RatioBudget(key.ratio.windowMs));

  it('are one for a downstream, and one more for each tenant', () => {
    const all = windows();
    const [shared] = all.of({ downstream: 'orders', ratio }, 0);
    const one = all.of({ downstream: 'orders', tenant: 'one', ratio }, 0);
    const other = all.of({ downstream: 'orders', tenant: 'other', ratio }, 0);
    assert.equal(one[0], shared);
    assert.equal(other[0], shared);
    assert.notEqual(one[1], other[1]);
  });

  it('are others for another length of the window', () => {
    const all = windows();
    const longer = { ...ratio, windowMs: 20_000 };
    const [one] = all.of({ downstream: 'orders', ratio }, 0);
    const [other] = all.of({ downstream: 'orders', ratio: longer }, 0);
    assert.notEqual(one, other);
  });

  it('are forgotten when they have run empty, so that tenants may come and go', () => {
    const all = windows();
    for (let tenant = 0; tenant < 100_000; tenant++) {
      const kept = all.of({ downstream: 'orders', tenant: String(tenant), ratio }, tenant * 100);
      for (const window of kept) window.callSent(tenant * 100);
    }
    // 100 of them have a call in the window of ten seconds
    assert.ok(all.all().length < 1_500, String(all.all().length));
  });
});
