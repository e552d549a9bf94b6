import type { FaultPlanInput } from '../upstream/index.js';

/** What fails all the time: about one request in six, some of them after their effect. */
export const steadyFaults = {
  lookup: {
    delay: { ms: 30, jitterMs: 120 },
    faults: [
      { kind: 'status', status: 503, rate: 0.08 },
      { kind: 'reset', rate: 0.05 },
      { kind: 'drop', rate: 0.03 },
    ],
  },
  refunds: {
    delay: { ms: 50, jitterMs: 200 },
    faults: [
      { kind: 'status', status: 500, at: 'after-effect', rate: 0.1 },
      { kind: 'drop', at: 'after-effect', rate: 0.05 },
      { kind: 'status', status: 503, rate: 0.05 },
    ],
  },
  emails: {
    delay: { ms: 30, jitterMs: 120 },
    faults: [
      { kind: 'reset', at: 'after-effect', rate: 0.08 },
      { kind: 'rate-limit', hint: { form: 'seconds', waitMs: 1_000 }, rate: 0.08 },
      { kind: 'status', status: 500, rate: 0.04 },
    ],
  },
  chat: {
    delay: { ms: 150, jitterMs: 350 },
    faults: [
      { kind: 'rate-limit', hint: { form: 'seconds', waitMs: 1_000 }, rate: 0.06 },
      { kind: 'status', status: 500, rate: 0.05 },
      { kind: 'status', status: 529, code: 'overloaded_error', rate: 0.04 },
    ],
  },
} as const satisfies FaultPlanInput;

/** The same, with a model that is down. */
export const modelOutage = {
  ...steadyFaults,
  chat: { faults: [{ kind: 'status', status: 503, code: 'service_unavailable', rate: 1 }] },
} as const satisfies FaultPlanInput;

/** When things happen in a column, in milliseconds from its start; the same in every column. */
export const script = {
  /** Between the arrivals of two tickets. */
  arrivalMs: 400,
  /** What each ticket may take, whatever retries it. */
  deadlineMs: 15_000,
  /** After which another worker takes over what the killed one was thinking about; Temporal's default is 10 s. */
  workflowTaskTimeoutMs: 3_000,
  killAtMs: 1_500,
  outageFromMs: 3_000,
  outageUntilMs: 5_500,
} as const;
