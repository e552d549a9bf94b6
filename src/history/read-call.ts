import { failureTypes, headerNames, type WaitDetail } from '../contract/call-header.js';
import type { Effect } from '../contract/effect.js';
import { isPlainObject } from '../contract/json.js';
import { asMessage, asNumber, asText, type Raw, textOrNull } from './raw-values.js';
import { failureDetails, timeoutTypeOf } from './read-failure.js';
import { readPayload, readPayloads } from './read-payload.js';
import type { ActivityEnd, GovernedCallFacts } from './run-facts.js';

/** What holdfast's header says, before anything has come of the call. */
export type OpenedCall = { readonly facts: GovernedCallFacts; readonly before: Spending };

/** What failed attempts of a call have used. */
type Spending = {
  readonly failedAttempts: number;
  readonly tokensWasted: number;
  readonly costWastedMicros: number | null;
};

const noSpending: Spending = { failedAttempts: 0, tokensWasted: 0, costWastedMicros: 0 };
const nothingUseful = { tokensUseful: 0, costUsefulMicros: 0 } as const;
const untold = {
  failedAttempts: null,
  tokensUseful: null,
  tokensWasted: null,
  costUsefulMicros: null,
  costWastedMicros: null,
} as const satisfies Partial<GovernedCallFacts>;

/** How a governed scheduling ended, where that is another end than the server's own word for it. */
export type CallEnding = { readonly facts: GovernedCallFacts; readonly end: ActivityEnd | null };

/**
 * Returns what holdfast's header says of an activity; null where it has none that can be read. Fields are read one
 * by one: a history comes from outside, and a later version may have written it.
 */
export function readCallHeader(scheduled: Raw): OpenedCall | null {
  const header = readPayload(asMessage(asMessage(scheduled.header).fields)[headerNames.call]);
  if (!isPlainObject(header) || header.v !== 1) return null;
  const before = readSums(header.before) ?? noSpending;
  const facts: GovernedCallFacts = {
    downstream: asText(header.downstream),
    effect: readEffect(header.effect),
    mode: header.mode === 'observe' ? 'observe' : 'on',
    tenant: textOrNull(header.tenant),
    key: textOrNull(header.key),
    share: asNumber(header.share),
    failedBefore: before.failedAttempts,
    ...untold,
    isReplayed: false,
    stop: null,
    wait: null,
  };
  return { facts, before };
}

function readEffect(value: unknown): Effect {
  return value === 'write' || value === 'idempotent-write' ? value : 'read';
}

/** Returns what a scheduling that still runs has told by its heartbeats. */
export function pendingCall({ facts }: OpenedCall, heartbeatDetails: unknown): GovernedCallFacts {
  return { ...facts, ...heartbeatSums(heartbeatDetails) };
}

/** Returns what a governed scheduling came to that was answered. */
export function answeredCall({ facts }: OpenedCall, result: unknown): CallEnding {
  const [envelope] = readPayloads(result);
  if (!isPlainObject(envelope) || envelope.$holdfast !== 1) return { facts, end: null };
  const answered = {
    ...(readSums(envelope.sums) ?? noSpending),
    tokensUseful: asNumber(envelope.tokens),
    costUsefulMicros: envelope.cost === null ? null : asNumber(envelope.cost),
    isReplayed: envelope.replayed === true,
  };
  return { facts: { ...facts, ...answered }, end: null };
}

/** Returns what a governed scheduling came to that failed, timed out or was cancelled. */
export function failedCall(opened: OpenedCall, failure: Raw): CallEnding {
  const timeout = timeoutTypeOf(failure);
  if (timeout !== null) return timedOutCall(opened, { failure, timeout });
  const { facts } = opened;
  const detail = failureDetails(failure).at(-1);
  const end = endByType(failure);
  if (!isPlainObject(detail) || detail.$holdfast !== 1) return { facts, end };
  const failed = {
    ...readSums(detail.sums),
    ...nothingUseful,
    isReplayed: detail.ledger === 'replayed',
    stop: textOrNull(detail.stop),
    wait: end === 'wait' ? readWait(detail) : null,
  };
  return { facts: { ...facts, ...failed }, end };
}

function readWait({ what, waitMs }: Raw): GovernedCallFacts['wait'] {
  return { what: asText(what) as WaitDetail['what'], waitMs: asNumber(waitMs) }; // our interceptor's own word
}

/** The type tells how it ended also where a codec keeps the details. */
function endByType({ applicationFailureInfo }: Raw): ActivityEnd | null {
  const { type } = asMessage(applicationFailureInfo);
  if (type === failureTypes.wait) return 'wait';
  return type === failureTypes.interrupted ? 'interrupted' : null;
}

/** The worker ends its attempts before their timeout: where the server had to, the worker was lost. */
function timedOutCall(
  { facts, before }: OpenedCall,
  { failure, timeout }: { readonly failure: Raw; readonly timeout: string },
): CallEnding {
  const sums = heartbeatSums(asMessage(failure.timeoutFailureInfo).lastHeartbeatDetails) ?? before;
  const isLost = timeout === 'START_TO_CLOSE' || timeout === 'HEARTBEAT';
  return {
    facts: { ...facts, ...sums, ...nothingUseful },
    end: isLost && facts.mode === 'on' ? 'interrupted' : null,
  };
}

function heartbeatSums(details: unknown): Spending | undefined {
  const [heartbeat] = readPayloads(details);
  return isPlainObject(heartbeat) ? readSums(heartbeat.$holdfast) : undefined;
}

function readSums(value: unknown): Spending | undefined {
  if (!isPlainObject(value) || typeof value.failed !== 'string') return undefined;
  const { failed, tokensWasted, costWasted, unpriced } = value;
  return {
    failedAttempts: failed.length,
    tokensWasted: asNumber(tokensWasted),
    costWastedMicros: asNumber(unpriced) === 0 ? asNumber(costWasted) : null,
  };
}
