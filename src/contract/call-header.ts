import type { ErrorClass } from '../budget/classify-types.js';
import type { Effect } from './effect.js';
import type { ExhaustionReason } from './outcome.js';
import type { BackoffPolicy, Mode } from './policy.js';

/** Names of the headers that holdfast puts on Temporal's messages. */
export const headerNames = {
  /** On an activity: what its attempts may do. */
  call: 'holdfast-call',
  /** On continue-as-new: the state of the run before. */
  state: 'holdfast-state',
  /** On a start by holdfast's client: the run is governed, and for which tenant. */
  start: 'holdfast-start',
} as const;

/** What travels with a start by holdfast's client. */
export type StartHeader = { readonly v: 1; readonly tenant?: string };

/**
 * What the attempts of one call did so far. It travels in results, in failure details and in
 * heartbeats, and so survives attempts, workers and reschedules.
 */
export type Sums = {
  /** One letter per failed attempt in order: `f` counts in the breaker, `n` is neutral. */
  readonly failed: string;
  readonly tokensWasted: number;
  /** True once an attempt at a write ended without telling whether the effect happened. */
  readonly ambiguous: boolean;
  /** The last backoff in milliseconds, for decorrelated jitter. */
  readonly delayMs?: number;
};

/** No attempt yet. */
export const noSums: Sums = { failed: '', tokensWasted: 0, ambiguous: false };

/** What the gate tells the attempts of one call, whose task and tool the activity's own info names. */
export type CallHeader = {
  readonly v: 1;
  readonly downstream: string;
  readonly effect: Effect;
  readonly mode: Exclude<Mode, 'off'>;
  /** True where a plain activity call is governed: its failures keep the user's own types. */
  readonly adopted: boolean;
  /**
   * SHA-256, hex: the same for every attempt of the effect. Null for a plain read, and where the arguments
   * of a plain activity call aren't JSON.
   */
  readonly key: string | null;
  /**
   * SHA-256, hex, of the exact canonical arguments; null as the key, and for a read that nobody approves:
   * nothing claims it.
   */
  readonly fingerprint: string | null;
  /** Retries that the plan gave the call. */
  readonly share: number;
  /** What attempts before this scheduling did (the call was rescheduled after an interruption). */
  readonly before: Sums;
  /** Tokens that failed attempts of this call may use in all, or null without a limit. */
  readonly tokensLeft: number | null;
  /** Milliseconds from the scheduling to the task's deadline; null without one. */
  readonly timeLeftMs: number | null;
  readonly tenant?: string;
  readonly backoff: BackoffPolicy;
  /** The longest hint that is waited for, in milliseconds. */
  readonly hintCapMs: number;
};

/** What holds where a header says nothing: headers stand in every history, so they are kept short. */
const headerDefaults = {
  adopted: false,
  key: null,
  fingerprint: null,
  before: noSums,
  tokensLeft: null,
  timeLeftMs: null,
} as const satisfies Partial<CallHeader>;

/** A header on the wire: without what is a default. */
export type PackedHeader = Omit<CallHeader, keyof typeof headerDefaults> &
  Partial<Pick<CallHeader, keyof typeof headerDefaults>>;

/** Leaves out of a header what is a default. */
export function packHeader(header: CallHeader): PackedHeader {
  const { adopted, key, fingerprint, before, tokensLeft, timeLeftMs, ...always } = header;
  return {
    ...always,
    ...(adopted ? { adopted } : {}),
    ...(key === null ? {} : { key }),
    ...(fingerprint === null ? {} : { fingerprint }),
    ...(isNothing(before) ? {} : { before }),
    ...(tokensLeft === null ? {} : { tokensLeft }),
    ...(timeLeftMs === null ? {} : { timeLeftMs }),
  };
}

/** Fills in what a header leaves out. */
export function openHeader(packed: PackedHeader): CallHeader {
  return { ...headerDefaults, ...packed };
}

/** A result with what its attempts did, opened by the gate; without what is nothing. */
export type Envelope = {
  readonly $holdfast: 1;
  readonly value?: unknown;
  /** @default no failed attempt */
  readonly sums?: Sums;
  /** Tokens of the attempt that succeeded. @default 0 */
  readonly tokens?: number;
  /** @default false */
  readonly replayed?: boolean;
};

/** Puts a value and what its attempts did into an envelope. */
export function envelopeOf(value: unknown, sums: Sums, tokens: number): Envelope {
  return {
    $holdfast: 1,
    value,
    ...(isNothing(sums) ? {} : { sums }),
    ...(tokens === 0 ? {} : { tokens }),
  };
}

function isNothing({ failed, tokensWasted, ambiguous }: Sums): boolean {
  return failed === '' && tokensWasted === 0 && !ambiguous;
}

/** What a failure of a governed attempt says, in its details. */
export type FailureDetail = {
  readonly $holdfast: 1;
  readonly sums: Sums;
  readonly class: ErrorClass;
  readonly fallback: boolean;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
  /** Why there is no further attempt, where the worker decided so. */
  readonly stop: ExhaustionReason | null;
};

/** Types of the failures by which an attempt speaks to the gate. */
export const failureTypes = {
  /** The worker was shut down in mid-attempt. */
  interrupted: 'holdfast.interrupted',
  /** The attempt has to wait and gives its slot back. Details: [WaitDetail]. */
  wait: 'holdfast.wait',
} as const;

/** What a wait says, in its details. */
export type WaitDetail = {
  readonly $holdfast: 1;
  readonly sums: Sums;
  /** Milliseconds to wait from the failure on. */
  readonly waitMs: number;
  readonly what: 'claim' | 'limiter' | 'bulkhead';
};

/** The one heartbeat slot, shared between holdfast and the user's activity. */
export type HeartbeatDetail = {
  readonly $holdfast: Sums;
  readonly user?: unknown;
  /** True where the user's details are bytes: `user` is then their base64. */
  readonly bytes?: true;
};
