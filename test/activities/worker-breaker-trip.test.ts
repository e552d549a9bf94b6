import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { currentAttempt } from '../../src/activities/attempt-context.js';
import { createHttp } from '../../src/activities/http.js';
import { policyDefaults } from '../../src/contract/policy.js';
import { createUpstream } from '../../src/lab/upstream/index.js';
import { openGuard } from '../support/guard-rig.js';
import { readFailure, startAttempt } from './attempts.js';

const CALLS_PER_SECOND = 20;
const SECONDS = 15;

describe('a downstream of which 30 % of the calls are dropped and the others take 2 s', () => {
  it('trips the breaker of the worker within 15 s of 20 calls a second, by the shop’s own count', async () => {
    const shop = createUpstream({
      seed: 7,
      faults: { every: { delay: { ms: 2_000 }, faults: [{ kind: 'drop', rate: 0.3 }] } },
    });
    const { url } = await shop.start();
    const { guard } = openGuard();
    const { workerBreaker } = policyDefaults;
    let hasTripped = false;
    const look = async (): Promise<unknown> => {
      const attempt = currentAttempt();
      assert.ok(attempt !== undefined);
      return createHttp(attempt, attempt.signal)({ url: `${url}/orders/ORD-1001` });
    };
    const call = async (): Promise<void> => {
      const attempt = startAttempt(look, {
        guard,
        header: { workerBreaker },
        info: { startToCloseTimeoutMs: 4_000 },
      });
      const end = await attempt.ended;
      if (end.kind === 'answered') return;
      if (readFailure(end.error).detail.stop === 'breaker-open') hasTripped = true;
    };
    const calls: Promise<void>[] = [];
    // What is sent, not what a clock says: so many calls are fifteen seconds of this load.
    while (!hasTripped && calls.length < CALLS_PER_SECOND * SECONDS) {
      calls.push(call());
      await new Promise((resolve) => setTimeout(resolve, 1_000 / CALLS_PER_SECOND));
    }
    const sent = shop.stats().totals.requests;
    await call();
    assert.equal(hasTripped, true);
    assert.ok(sent < CALLS_PER_SECOND * SECONDS, `${sent} calls were sent before it tripped`);
    assert.equal(shop.stats().totals.requests, sent);
    await shop.stop();
    await Promise.all(calls);
  });
});
