import type { ErrorClass } from '../budget/classify-types.js';
import type { Effect } from './effect.js';
import { toolDefaults } from './governed-tool.js';
import { isPlainObject } from './json.js';
import type { ExhaustionReason } from './outcome.js';
import {
  type BackoffPolicy,
  type LimitsPolicy,
  type Mode,
  type PolicyInput,
  policyDefaults,
  type RatioPolicy,
  type WorkerBreakerPolicy,
} from './policy.js';
import type { Inherited, Slice, Spent } from './spent.js';

/** Names of the headers that holdfast puts on Temporal's messages. */
export const headerNames = {
  /** On an activity: what its attempts may do. */
  call: 'holdfast-call',
  /** On continue-as-new: the state of the run before. */
  state: 'holdfast-state',
  /** On a start by holdfast's client: the run is governed, and for which tenant. */
  start: 'holdfast-start',
  /** On a child workflow: whether its id stays the same when its parent is reset, and its slice. */
  child: 'holdfast-child',
} as const;

/** What travels with a start by holdfast's client, or by a governor. */
export type StartHeader = {
  readonly v: 1;
  readonly tenant?: string;
  /** Holds in place of the policy that comes with the workflow's code. */
  readonly policy?: PolicyInput;
  /** What the client has read of the workflow whose budget is continued. */
  readonly continues?: Inherited;
};

/** What travels with the start of a child workflow. */
export type ChildHeader = {
  readonly v: 1;
  /** Absent where nobody knows. */
  readonly idIsStable?: boolean;
  /** Whether what the child sends is spread evenly over time. @default false */
  readonly isPaced?: boolean;
  /** What the child may use of its parent's budgets; it tells what it used when it ends. */
  readonly slice?: Slice;
};

/** The result of a child with a slice, and the last detail of its failure: opened by the parent's handle. */
export type SpentEnvelope = {
  readonly $holdfast: 1;
  readonly spent: Spent;
  readonly value?: unknown;
};

/**
 * What the attempts of one call did so far. It travels in results, in failure details and in
 * heartbeats, and so survives attempts, workers and reschedules.
 */
export type Sums = {
  /** One letter per failed attempt in order: `f` counts in the breaker, `n` is neutral. */
  readonly failed: string;
  readonly tokensWasted: number;
  /** Millionths of a currency unit, of attempts whose price is known. @default 0 */
  readonly costWasted?: number;
  /** Failed attempts at models without a known price. @default 0 */
  readonly unpriced?: number;
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
  /** True where the tool declares what makes its calls equal: other arguments are then a replay (R3). */
  readonly ownIdentity: boolean;
  /** Milliseconds in which the downstream remembers a key (R9). */
  readonly keyWindowMs: number;
  /** What a person allowed, where the tool needs that (R13). */
  readonly approval: ApprovalGiven | null;
  /** What a person knows of an effect that was unknown; a result stands behind the activity's arguments. */
  readonly settlement: SettlementOrder | null;
  /** The key of the effect that this call takes back; null for any other call. */
  readonly undoes: string | null;
  /** Bytes that a result may have as JSON (R12). */
  readonly maxPayloadBytes: number;
  /** What retries may be of the downstream's calls. */
  readonly ratio: RatioPolicy;
  /** What the downstream may be sent. */
  readonly limits: LimitsPolicy;
  /** When the worker's own breaker for the downstream opens. */
  readonly workerBreaker: WorkerBreakerPolicy;
  /** The place in the limiter's queue that an earlier wait of this call was given. */
  readonly ticket: string | null;
  /** True where the result is kept in the conversation store and only its hash comes back. */
  readonly byReference: boolean;
};

/** A person's yes to one call: bound to its key and its exact arguments, consumed by its first claim. */
export type ApprovalGiven = {
  readonly id: string;
  readonly key: string;
  readonly fingerprint: string;
};

/** What a person says of an unknown effect. */
export type SettlementOrder = {
  /** True: it has happened. False: it has not, so that it may run. */
  readonly done: boolean;
  readonly by: string;
  readonly note: string;
};

/** A last argument by which a settlement carries the result: payload codecs see it, as they see no header. */
export type SettledResult = { readonly $holdfastResult: unknown };

/** What holds where a header says nothing: headers stand in every history, so they are kept short. */
const headerDefaults = {
  adopted: false,
  key: null,
  fingerprint: null,
  before: noSums,
  tokensLeft: null,
  timeLeftMs: null,
  ownIdentity: false,
  keyWindowMs: toolDefaults.keyWindowMs,
  approval: null,
  settlement: null,
  undoes: null,
  maxPayloadBytes: policyDefaults.maxPayloadBytes,
  ratio: policyDefaults.ratio,
  limits: policyDefaults.limits,
  workerBreaker: policyDefaults.workerBreaker,
  ticket: null,
  byReference: false,
} as const satisfies Partial<CallHeader>;

/** A header on the wire: without what is a default. */
export type PackedHeader = Omit<CallHeader, keyof typeof headerDefaults> &
  Partial<Pick<CallHeader, keyof typeof headerDefaults>>;

/** Leaves out of a header what is a default. */
export function packHeader(header: CallHeader): PackedHeader {
  const { before, ...others } = header;
  const said = Object.entries(others).filter(([field, value]) => !isDefault(field, value));
  const packed = Object.fromEntries(said) as unknown as PackedHeader; // only defaults are left out
  return isNothing(before) ? packed : { ...packed, before };
}

function isDefault(field: string, value: unknown): boolean {
  const standard: unknown = Object.getOwnPropertyDescriptor(headerDefaults, field)?.value;
  return standard === value || (isPlainObject(standard) && isSameRecord(standard, value));
}

/** Settings are resolved anew for each run: equal ones are no longer the same object. */
function isSameRecord(one: Readonly<Record<string, unknown>>, other: unknown): boolean {
  if (!isPlainObject(other)) return false;
  const fields = Object.keys(other);
  if (fields.length !== Object.keys(one).length) return false;
  return fields.every((field) => one[field] === other[field]);
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
  /** What that attempt cost, in millionths of a currency unit; null where the model's price isn't known. @default 0 */
  readonly cost?: number | null;
  /** @default false */
  readonly replayed?: boolean;
  /** True where the stored result belongs to a call with other arguments of equal identity (R3). */
  readonly argumentsDiffer?: boolean;
};

/** Puts a value that the ledger had into an envelope. */
export function replayEnvelope(value: unknown, sums: Sums, argumentsDiffer: boolean): Envelope {
  const envelope = { ...envelopeOf(value, sums), replayed: true };
  return argumentsDiffer ? { ...envelope, argumentsDiffer } : envelope;
}

const free = { tokens: 0, costMicros: 0 };

/** Puts a value and what its attempts did into an envelope. */
export function envelopeOf(
  value: unknown,
  sums: Sums,
  used: { readonly tokens: number; readonly costMicros: number | null } = free,
): Envelope {
  const { tokens, costMicros } = used;
  return {
    $holdfast: 1,
    value,
    ...(isNothing(sums) ? {} : { sums }),
    ...(tokens === 0 ? {} : { tokens }),
    ...(costMicros === 0 ? {} : { cost: costMicros }),
  };
}

function isNothing({ failed, tokensWasted, ambiguous }: Sums): boolean {
  return failed === '' && tokensWasted === 0 && !ambiguous;
}

/** What a failure of a governed attempt says, in its details. */
export type FailureDetail = {
  readonly $holdfast: 1;
  readonly sums: Sums;
  /** Null where nothing was sent: the worker's own breaker rejected the attempt. */
  readonly class: ErrorClass | null;
  readonly fallback: boolean;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
  /** Why there is no further attempt, where the worker decided so. */
  readonly stop: ExhaustionReason | null;
  /** What the ledger has to do with it, where it does. */
  readonly ledger?: LedgerVerdict;
};

/**
 * `unknown`: nobody knows whether the effect happened; `replayed`: the stored refusal, nothing was sent;
 * `happened`: it did, but its result can't be kept.
 */
export type LedgerVerdict = 'unknown' | 'replayed' | 'happened';

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
  readonly what: 'claim' | 'ledger' | 'probe' | 'limiter' | 'bulkhead' | 'conversations';
  /** The place in the limiter's queue, which the next scheduling names. */
  readonly ticket?: string;
};

/** The one heartbeat slot, shared between holdfast and the user's activity. */
export type HeartbeatDetail = {
  readonly $holdfast: Sums;
  readonly user?: unknown;
  /** True where the user's details are bytes: `user` is then their base64. */
  readonly bytes?: true;
};
