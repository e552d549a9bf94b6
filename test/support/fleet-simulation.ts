import { seededRandom } from '../../src/lab/bench/seeded-random.js';
import type { FleetStore } from '../../src/limits/fleet-store.js';
import type { RetryBudget } from '../../src/limits/retry-budget.js';
import { VirtualTime } from './virtual-time.js';

const callsPerSecond = 100;
const failureShare = 0.5;
const meanAnswerMs = 10;

/** How one client decides about its retries. */
export type RetryRule = {
  readonly callBegins?: () => void;
  readonly attemptSent?: () => void;
  readonly mayRetry: (dueInMs: number) => boolean | Promise<boolean>;
};

/** A fleet: so many clients make 100 calls a second together, and half of all attempts fail. */
export type FleetRun = {
  readonly clients: number;
  readonly seconds: number;
  readonly seed: number;
  readonly retriesOfCall: number;
  /** Milliseconds before the first retry at most, twice as many before each further one; a share of them is drawn. */
  readonly backoffMs: number;
  /** Attempts before anything is measured. */
  readonly measureAfter: number;
  /** Whether all clients make their first call at once, or each of them in its own time. */
  readonly beginsAtOnce: boolean;
  /** Makes the rule of one client. */
  readonly ruleOf: (time: VirtualTime) => RetryRule;
};

/** Runs the clients' calls by a clock of their own, and returns the attempts that the downstream saw for each call. */
export async function loadFactor(run: FleetRun): Promise<number> {
  const random = seededRandom(run.seed);
  const time = new VirtualTime();
  const exponential = (meanMs: number): number => -Math.log(1 - random()) * meanMs;
  const seen = { attempts: 0, attemptsMeasured: 0, callsMeasured: 0 };

  const attempt = async (rule: RetryRule, retry: number): Promise<void> => {
    rule.attemptSent?.();
    if (seen.attempts >= run.measureAfter) seen.attemptsMeasured += 1;
    seen.attempts += 1;
    const fails = random() < failureShare;
    await time.sleep(exponential(meanAnswerMs));
    if (!fails || retry === run.retriesOfCall) return;
    const dueInMs = random() * run.backoffMs * 2 ** retry;
    if (!(await rule.mayRetry(dueInMs))) return;
    await time.sleep(dueInMs);
    await attempt(rule, retry + 1);
  };
  const client = async (rule: RetryRule): Promise<void> => {
    const meanGapMs = (run.clients * 1_000) / callsPerSecond;
    await time.sleep(exponential(run.beginsAtOnce ? meanAnswerMs : meanGapMs));
    while (time.nowMs < run.seconds * 1_000) {
      if (seen.attempts >= run.measureAfter) seen.callsMeasured += 1;
      rule.callBegins?.();
      void attempt(rule, 0); // the next call waits for none
      await time.sleep(exponential(meanGapMs));
    }
  };
  for (let index = 0; index < run.clients; index++) void client(run.ruleOf(time)); // time.run waits for all
  await time.run();
  return seen.attemptsMeasured / seen.callsMeasured;
}

/** The figures by which holdfast's budgets are simulated. */
export const simulatedRatio = { percent: 10, windowMs: 10_000, minSamples: 100 };

/** The rule of a client that has a retry budget. */
export function ruleOfBudget(budget: RetryBudget): RetryRule {
  const key = { downstream: 'orders', ratio: simulatedRatio };
  return {
    attemptSent: () => void budget.callSent(key), // nothing is cancelled here
    mayRetry: async (dueInMs) => (await budget.decide(key, { dueInMs })).allowed,
  };
}

/** The rule of V98's simulator: a bucket of five retries, into which each call puts a tenth of one. */
export function tokenBucketRule(): RetryRule {
  let tokens = 5;
  return {
    callBegins: () => {
      tokens = Math.min(5, tokens + 0.1);
    },
    mayRetry: () => {
      if (tokens <= 1) return false;
      tokens -= 1;
      return true;
    },
  };
}

/** Returns a store that answers after a while, as one does that is elsewhere. */
export function distant(store: FleetStore, time: VirtualTime, answerMs: number): FleetStore {
  return {
    ...store,
    exchange: async (report) => {
      await time.sleep(answerMs / 2);
      const answer = await store.exchange(report);
      await time.sleep(answerMs / 2);
      return answer;
    },
  };
}
