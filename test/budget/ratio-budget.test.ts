import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { checkRatioFigures, RatioBudget } from '../../src/budget/index.js';
import type { CountedAt } from '../../src/budget/sliding-count.js';
import { resilienceRow } from '../support/vectors.js';

const windowMs = 10_000;
const tenPercent = { percent: 10, minSamples: 100 };

function sent(calls: number, nowMs = 0): RatioBudget {
  const budget = new RatioBudget(windowMs);
  for (let call = 0; call < calls; call++) budget.callSent(nowMs);
  return budget;
}

/** Decides about a retry and charges it where it is allowed. */
function decide(
  budget: RatioBudget,
  {
    percent,
    minSamples,
    nowMs = 0,
    delayMs = 0,
  }: {
    readonly percent: number;
    readonly minSamples: number;
    readonly nowMs?: number;
    readonly delayMs?: number;
  },
): CountedAt | undefined {
  if (!budget.allows({ percent, minSamples }, nowMs)) return undefined;
  return budget.charge(nowMs + delayMs);
}

function allowedOf(asked: number, ...[budget, figures]: Parameters<typeof decide>): number {
  return Array.from({ length: asked }, () => decide(budget, figures)).filter(Boolean).length;
}

describe('a ratio budget', () => {
  it('V93: allows 200 retries of 1,000 requests in the last 10 s at 20 %', () => {
    type Row = {
      readonly input: {
        readonly interval_s: number;
        readonly requests: number;
        readonly percent: number;
      };
      readonly expected: { readonly max_retries: number };
    };
    const { input, expected } = resilienceRow<Row>('V93');
    const budget = new RatioBudget(input.interval_s * 1_000);
    for (let call = 0; call < input.requests; call++) budget.callSent(call);
    const figures = { percent: input.percent, minSamples: 100, nowMs: input.requests };
    assert.equal(allowedOf(input.requests, budget, figures), expected.max_retries);
  });

  it('is not enforced under its least number of calls', () => {
    assert.equal(allowedOf(500, sent(99), tenPercent), 500);
    assert.equal(allowedOf(500, sent(100), tenPercent), 10);
  });

  it('charges what it lets through while it is not enforced', () => {
    const budget = sent(99);
    allowedOf(50, budget, tenPercent);
    budget.callSent(0);
    assert.equal(budget.allows(tenPercent, 0), false);
  });

  it('counts a retry that is sent as one of the calls', () => {
    const budget = sent(109);
    assert.equal(allowedOf(11, budget, tenPercent), 10);
    budget.callSent(0);
    assert.equal(allowedOf(2, budget, tenPercent), 1);
  });

  it('lets a retry stand until the length of the window after it is due', () => {
    const budget = sent(0);
    budget.charge(3_000);
    assert.deepEqual(
      [12_999, 13_000].map((nowMs) => budget.retries(nowMs)),
      [1, 0],
    );
  });

  it('forgets a call when the window has passed over it', () => {
    const budget = sent(1, 5);
    assert.deepEqual(
      [10_004, 10_005].map((nowMs) => budget.calls(nowMs)),
      [1, 0],
    );
  });

  it('is free for another retry where a decided one is given back', () => {
    const budget = sent(100);
    const charged = Array.from({ length: 10 }, () => decide(budget, tenPercent));
    assert.equal(decide(budget, tenPercent), undefined);
    if (charged[3] !== undefined) budget.refund(charged[3]);
    assert.equal(allowedOf(2, budget, tenPercent), 1);
  });

  it('counts no call that was cancelled or never sent', () => {
    const budget = sent(109);
    const cancelled = budget.callSent(0);
    budget.takeBack(cancelled);
    assert.equal(budget.calls(0), 109);
    assert.equal(allowedOf(20, budget, tenPercent), 10);
  });

  it('names each figure that breaks its rule', () => {
    assert.throws(() => checkRatioFigures({ percent: -1, windowMs: 0, minSamples: 0.5 }), {
      kind: 'invalid-request',
      message: /percent .*windowMs .*minSamples /,
    });
  });
});

type Report = {
  /** Where the fault was reported (notes/field-reports.md). */
  readonly reported: string;
  readonly claim: string;
  readonly check: () => void;
};

const reports: readonly Report[] = [
  {
    reported: 'tower-rs/tower#857',
    claim: 'percentages that divide 100 unevenly are not rounded up',
    check: () => {
      const allowed = [60, 34, 0.6].map((percent) =>
        allowedOf(20, sent(10), { percent, minSamples: 1 }),
      );
      assert.deepEqual(allowed, [6, 3, 0]);
      assert.equal(allowedOf(20, sent(1_000), { percent: 0.6, minSamples: 1 }), 6);
    },
  },
  {
    reported: 'envoyproxy/envoy resource_manager_impl.h',
    claim: 'percentages that floats miss are not rounded down',
    check: () => {
      const allowed = [29, 57, 58].map((percent) =>
        allowedOf(100, sent(100), { percent, minSamples: 1 }),
      );
      assert.deepEqual(allowed, [29, 57, 58]);
      assert.equal(allowedOf(100, sent(10_000), { percent: 0.29, minSamples: 1 }), 29);
    },
  },
  {
    reported: 'envoyproxy/envoy#30205, envoy-mobile#811',
    claim: 'of 1,000 failures at once 200 may wait for a retry at 20 %, however long they wait',
    check: () => {
      const figures = { percent: 20, minSamples: 100, delayMs: 9_000 };
      const budget = sent(1_000);
      assert.equal(allowedOf(1_000, budget, figures), 200);
      assert.equal(budget.retries(9_000), 200, 'they still count when they are sent');
    },
  },
  {
    reported: 'envoyproxy/envoy#30205 (denominator)',
    claim: 'calls that become retries keep the denominator: the first try stays counted',
    check: () => {
      const budget = sent(100);
      for (let retry = 0; retry < 10; retry++) {
        budget.charge(100);
        budget.callSent(100);
      }
      assert.equal(budget.calls(200), 110);
    },
  },
  {
    reported: 'aws/aws-sdk-go-v2#3550, aws/aws-sdk-java-v2#5345',
    claim: 'after an outage that spent everything, calls that succeed bring retries back',
    check: () => {
      const budget = sent(500);
      allowedOf(500, budget, tenPercent);
      assert.equal(budget.allows(tenPercent, 0), false);
      for (let call = 0; call < 1_000; call++) budget.callSent(10_000 + call);
      assert.equal(budget.allows(tenPercent, 11_000), true);
    },
  },
  {
    reported: 'awslabs/aws-sdk-rust#1234',
    claim: 'calls that all fail and may try 1,000 times stop when the budget is gone',
    check: () => {
      const budget = new RatioBudget(windowMs);
      let attempts = 0;
      for (let call = 0; call < 1_000; call++) {
        for (let attempt = 0; attempt < 1_000; attempt++) {
          budget.callSent(0);
          attempts += 1;
          if (decide(budget, tenPercent) === undefined) break;
        }
      }
      assert.ok(attempts <= 1_112, `${attempts} attempts of 1,000 calls`);
    },
  },
  {
    reported: 'grpc/proposal#27',
    claim: 'a good day saves up nothing for the next outage',
    check: () => {
      const budget = new RatioBudget(windowMs);
      for (let call = 0; call < 1_000_000; call++) budget.callSent(call);
      const nowMs = 999_999;
      assert.equal(allowedOf(5_000, budget, { ...tenPercent, nowMs }), 1_000);
    },
  },
];

describe('retry budgets: faults reported in public', () => {
  for (const { reported, claim, check } of reports) it(`${reported}: ${claim}`, check);
});

type Step =
  | { readonly kind: 'call'; readonly takesBack: boolean }
  | { readonly kind: 'retry'; readonly delayMs: number; readonly refunds: boolean }
  | { readonly kind: 'wait'; readonly ms: number };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('call' as const), takesBack: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('retry' as const),
      delayMs: fc.nat(400),
      refunds: fc.boolean(),
    }),
  },
  fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(60) }),
);

describe('a ratio budget, for any run', () => {
  it('allows a retry exactly where a list of all calls and retries says so', () => {
    const anyPercent = fc.double({ min: 0.1, max: 100, noNaN: true });
    fc.assert(
      fc.property(
        anyPercent,
        fc.nat(8),
        fc.array(anyStep, { maxLength: 150 }),
        (percent, minSamples, steps) => {
          const budget = new RatioBudget(100);
          let calls: number[] = [];
          let retries: number[] = [];
          let nowMs = 0;
          for (const step of steps) {
            calls = calls.filter((atMs) => atMs > nowMs - 100);
            retries = retries.filter((dueMs) => dueMs > nowMs - 100);
            if (step.kind === 'wait') nowMs += step.ms;
            if (step.kind === 'call') {
              const call = budget.callSent(nowMs);
              if (step.takesBack) budget.takeBack(call);
              else calls.push(nowMs);
            }
            if (step.kind !== 'retry') continue;
            const share = (retries.length + 1) * 100 * 1e6;
            const isWithin = share <= Math.round(percent * 1e6) * calls.length;
            const allowed = budget.allows({ percent, minSamples }, nowMs);
            assert.equal(allowed, calls.length < minSamples || isWithin);
            if (!allowed) continue;
            const retry = budget.charge(nowMs + step.delayMs);
            if (step.refunds) budget.refund(retry);
            else retries.push(nowMs + step.delayMs);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
