import { type Clients, type RetryRule, runClients } from '../../src/lab/bench/fleet-clients.js';
import { seededRandom } from '../../src/lab/bench/seeded-random.js';
import type { FleetStore } from '../../src/limits/fleet-store.js';
import type { RetryBudget } from '../../src/limits/retry-budget.js';
import { VirtualTime } from './virtual-time.js';

type Simulated = 'callsPerSecond' | 'failureShare' | 'retriesOfCall' | 'backoffMs' | 'beginsAtOnce';

/** A fleet that is simulated. */
export type FleetRun = Pick<Clients, Simulated> & {
  readonly clients: number;
  readonly seconds: number;
  readonly seed: number;
  /** Attempts before anything is measured. */
  readonly measureAfter: number;
  /** Makes the rule of one client. */
  readonly ruleOf: (time: VirtualTime) => RetryRule;
};

/** Runs a fleet by a clock of its own, and returns the attempts that its downstream saw for each call. */
export async function loadFactor(run: FleetRun): Promise<number> {
  const time = new VirtualTime();
  const seen = { attempts: 0, attemptsMeasured: 0, callsMeasured: 0 };
  const running = runClients({
    ...run,
    rules: Array.from({ length: run.clients }, () => run.ruleOf(time)),
    untilMs: run.seconds * 1_000,
    clock: { now: () => time.nowMs, sleep: (delayMs) => time.sleep(delayMs) },
    random: seededRandom(run.seed),
    onCall: () => {
      if (seen.attempts >= run.measureAfter) seen.callsMeasured += 1;
    },
    onAttempt: () => {
      if (seen.attempts >= run.measureAfter) seen.attemptsMeasured += 1;
      seen.attempts += 1;
    },
  });
  await time.run();
  await running;
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
