import { type Fault, throwFaults } from '../../budget/errors.js';
import { faultsOf, type Rule, rules } from '../../budget/rules.js';

/** What a storm is made of. */
export type Scenario = {
  readonly seed: number;
  readonly clients: number;
  /** Calls a second of all clients together; the gaps between them are drawn from an exponential distribution. */
  readonly callsPerSecond: number;
  /** Seconds in which calls begin; those that have begun go on until they end. */
  readonly seconds: number;
  /** Calls a second that the downstream answers at most. */
  readonly capacityPerSecond: number;
  /** Milliseconds that it works on a call, in the mean of an exponential distribution; taken so that its places are whole. */
  readonly serviceMs: number;
  /** Attempts that wait in its queue at most; it refuses further ones. */
  readonly queue: number;
  /** The share of a call's work that a refusal is to the downstream. */
  readonly refusalShare: number;
  /** The share of its answers that are failures. */
  readonly failureShare: number;
  /** Milliseconds after which a client gives an attempt up. The downstream, which isn't told, works on it all the same. */
  readonly timeoutMs: number;
  /** Attempts of a call where its strategy has no bound of its own. */
  readonly attempts: number;
  /** Calls that begin at one moment, besides the others: what a schedule or a batch starts. */
  readonly surge: { readonly calls: number; readonly everySeconds: number };
  readonly outage: {
    readonly fromSecond: number;
    readonly seconds: number;
    /** The share of its capacity that the downstream is left with. */
    readonly capacityShare: number;
  };
};

/** The storm where nobody gives another. */
export const scenarioDefaults = {
  seed: 1,
  clients: 20,
  callsPerSecond: 500,
  surge: { calls: 300, everySeconds: 3 },
  seconds: 60,
  capacityPerSecond: 1_000,
  serviceMs: 20,
  queue: 20,
  refusalShare: 0.2,
  failureShare: 0.02,
  timeoutMs: 2_000,
  attempts: 5,
  outage: { fromSecond: 10, seconds: 20, capacityShare: 0.5 },
} as const satisfies Scenario;

/** Calls that a run may have: more would take hours. */
const mostCalls = 100_000_000;
/** Milliseconds that a call's attempts may take together: a run ends when its last call does. */
const mostOfCallMs = 86_400_000;

/** The generators of chance take 32 bits: above them another seed would bring the same storm again. */
export const mostSeed = 2 ** 32 - 1;
const seedRule: Rule = {
  holds: (value) => rules.nonNegativeInteger.holds(value) && Number(value) <= mostSeed,
  text: `must be a whole number from 0 to ${mostSeed}`,
};

/**
 * Returns when the scenario keeps its rules.
 * Throws `InvalidRequestError` with every fault otherwise.
 */
export function checkScenario(scenario: Scenario): void {
  const { outage } = scenario;
  throwFaults([
    ...faultsOf('seed', scenario.seed, seedRule),
    ...faultsOf('clients', scenario.clients, wholeUpTo(10_000_000)),
    ...faultsOf('callsPerSecond', scenario.callsPerSecond, numberUpTo(10_000_000)),
    ...faultsOf('surge.calls', scenario.surge.calls, rules.nonNegativeInteger),
    ...faultsOf('surge.everySeconds', scenario.surge.everySeconds, numberUpTo(86_400)),
    ...faultsOf('seconds', scenario.seconds, wholeUpTo(86_400)),
    ...faultsOf('capacityPerSecond', scenario.capacityPerSecond, numberUpTo(10_000_000)),
    ...faultsOf('serviceMs', scenario.serviceMs, numberUpTo(3_600_000)),
    ...faultsOf('queue', scenario.queue, rules.nonNegativeInteger),
    ...faultsOf('refusalShare', scenario.refusalShare, rules.probability),
    ...faultsOf('failureShare', scenario.failureShare, rules.probability),
    ...faultsOf('timeoutMs', scenario.timeoutMs, numberUpTo(3_600_000)),
    ...faultsOf('attempts', scenario.attempts, wholeUpTo(1_000)),
    ...faultsOf('outage.fromSecond', outage.fromSecond, rules.nonNegativeNumber),
    ...faultsOf('outage.seconds', outage.seconds, rules.nonNegativeNumber),
    ...faultsOf('outage.capacityShare', outage.capacityShare, rules.probability),
    ...faultsOf('timeoutMs · attempts', scenario.timeoutMs * scenario.attempts, {
      holds: (value) => !(Number(value) > mostOfCallMs),
      text: `must be at most ${mostOfCallMs} ms`,
    }),
    ...tooMany(scenario),
  ]);
}

function tooMany({ callsPerSecond, surge, seconds }: Scenario): readonly Fault[] {
  const calls = (callsPerSecond + surge.calls / surge.everySeconds) * seconds;
  return faultsOf('calls', calls, {
    holds: () => !(calls > mostCalls),
    text: `must be at most ${mostCalls} in a run`,
  });
}

function wholeUpTo(most: number): Rule {
  return {
    holds: (value) => rules.positiveInteger.holds(value) && Number(value) <= most,
    text: `must be a whole number from 1 to ${most}`,
  };
}

function numberUpTo(most: number): Rule {
  return {
    holds: (value) => rules.positiveNumber.holds(value) && Number(value) <= most,
    text: `must be a number above 0 and up to ${most}`,
  };
}

/** Returns the seconds of a run that its outage takes; undefined where it has none, or ends before it. */
export function outageOf({
  outage,
  seconds,
}: Scenario): { readonly from: number; readonly to: number } | undefined {
  const from = outage.fromSecond;
  const to = Math.min(from + outage.seconds, seconds);
  return from < to ? { from, to } : undefined;
}
