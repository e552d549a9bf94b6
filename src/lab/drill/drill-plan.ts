import type { FaultPlanInput } from '../upstream/index.js';

/** What a drill does. */
export type DrillPlan = {
  /** Tickets that arrive in a second. */
  readonly ratePerSecond: number;
  /** Same seed, same faults for the same calls. */
  readonly seed: number;
  readonly calmMs: number;
  readonly faultMs: number;
  readonly recoveryMs: number;
  /** Whether Toxiproxy strikes connections; else the upstream strikes requests. */
  readonly networkFaults: boolean;
};

/** A stretch of the drill. */
export type Phase = 'calm' | 'fault' | 'recovery';

/** What is fixed in each drill. */
export const drillFacts = {
  /** Calls that each ticket makes in peace, one request each. */
  callsPerTicket: 4,
  /** Share of the calls that are dropped in the fault. */
  dropShare: 0.3,
  /** What each call waits in the fault, in milliseconds. */
  delayMs: 2_000,
  /** What one attempt may take, with holdfast and without, in milliseconds. */
  attemptTimeoutMs: 3_000,
  /** What a ticket may take with holdfast, in milliseconds. */
  deadlineMs: 15_000,
  /** A user who has no answer after so many milliseconds is counted as left hanging. */
  patienceMs: 20_000,
} as const;

/** The tickets of a drill never are more. */
export const mostTickets = 20_000;

const { dropShare, delayMs } = drillFacts;

/** The faults of the upstream: half of the dropped calls have had their effect. */
export const drillFaults: FaultPlanInput = {
  every: {
    delay: { ms: delayMs },
    faults: [
      { kind: 'drop', rate: dropShare / 2 },
      { kind: 'drop', rate: dropShare / 2, at: 'after-effect' },
    ],
  },
};

/** Returns how many tickets arrive. */
export function ticketCount({ ratePerSecond, ...phases }: DrillPlan): number {
  return Math.max(1, Math.round((ratePerSecond * wholeMs(phases)) / 1_000));
}

/** Returns how long tickets arrive, in milliseconds. */
export function wholeMs({
  calmMs,
  faultMs,
  recoveryMs,
}: Pick<DrillPlan, 'calmMs' | 'faultMs' | 'recoveryMs'>): number {
  return calmMs + faultMs + recoveryMs;
}

/** Returns the phase of a moment, in milliseconds from the drill's start. */
export function phaseAt({ calmMs, faultMs }: DrillPlan, atMs: number): Phase {
  if (atMs < calmMs) return 'calm';
  return atMs < calmMs + faultMs ? 'fault' : 'recovery';
}

/**
 * Returns how many calls a worker may have in flight: as many as arrive, each for as long as an attempt may take
 * (Little's law), so that the bulkhead holds nobody up in peace.
 */
export function mostConcurrent({ ratePerSecond }: Pick<DrillPlan, 'ratePerSecond'>): number {
  const { callsPerTicket, attemptTimeoutMs } = drillFacts;
  return Math.ceil((ratePerSecond * callsPerTicket * attemptTimeoutMs) / 1_000);
}
