import type { ErrorClass } from '../budget/classify-types.js';
import type { Sums } from '../contract/call-header.js';
import { callName, type GovernedTool } from '../contract/governed-tool.js';
import type {
  CallReport,
  ExhaustionReason,
  FailureReport,
  Unanswered,
} from '../contract/outcome.js';
import type { CallLine } from '../contract/run-state.js';
import type { SeriesEnd } from './attempt-series.js';
import { callCost } from './call-cost.js';

/** What the gate knows of a call while it runs. */
export type OpenCall = {
  readonly call: number;
  readonly step: string | undefined;
  /** Number of the call that this one undoes. */
  readonly undoes?: number | undefined;
  readonly tool: GovernedTool;
  readonly share: number;
  /** Retries that the call would have got from a pool without end. */
  readonly wanted: number;
  /** Tokens that its failed attempts may use; a model's call keeps them for itself while it runs. */
  readonly tokensLeft?: number;
  /** True where it has no retry because the run's tokens are used up. */
  readonly isOutOfTokens?: boolean;
  readonly interruptions: number;
  /** What the ledger knows a write by. */
  readonly key?: string;
};

/** How a governed call ended. */
export type CallEnd = { readonly kind: 'ok'; readonly report: CallReport } | Unanswered;

/** Returns a call that has been promised nothing yet. */
export function unsharedCall(
  call: Pick<OpenCall, 'call' | 'step' | 'undoes' | 'tool' | 'key'>,
): OpenCall {
  return { ...call, share: 0, wanted: 0, interruptions: 0 };
}

/** Returns the report of a call that was answered. */
export function answeredReport(
  call: OpenCall,
  end: Extract<SeriesEnd, { kind: 'answered' }>,
): CallReport {
  const failed = end.sums.failed.length;
  return {
    ...openReport(call),
    attempts: end.replayed ? failed : failed + 1,
    attemptsKnown: !end.blind,
    blind: end.blind,
    // A replayed answer follows the last failure without another attempt.
    retries: end.replayed ? Math.max(0, failed - 1) : failed,
    tokens: { useful: end.tokens, wasted: end.sums.tokensWasted },
    ...costField(end.sums, end.costMicros),
    replayed: end.replayed,
    ...(end.argumentsDiffer === true ? { argumentsDiffer: true } : {}),
  };
}

/** What a call that got no answer failed of. */
export type Refusal = {
  readonly sums: Sums;
  readonly class: ErrorClass | null;
  readonly message: string;
  readonly reason: ExhaustionReason;
  readonly retryAfterMs?: number | null;
  readonly blind?: boolean;
  /** True where the last attempt was cut off and another one took or would have taken its place. */
  readonly cutOff?: boolean;
  /** True where the ledger answered with a refusal that it had. */
  readonly replayed?: boolean;
};

/** Returns the report of a call that got no answer. */
export function refusedReport(call: OpenCall, refusal: Refusal): FailureReport {
  const { sums, message, reason, blind = false, cutOff = false, replayed = false } = refusal;
  const attempts = sums.failed.length;
  const { tool } = call;
  return {
    ...openReport(call),
    attempts,
    attemptsKnown: !blind,
    blind,
    retries: Math.max(0, cutOff ? attempts : attempts - 1),
    tokens: { useful: 0, wasted: sums.tokensWasted },
    ...costField(sums, 0),
    replayed,
    class: refusal.class,
    message,
    reason,
    effectMayHaveHappened: tool.effect !== 'read' && sums.ambiguous,
    ...(call.key === undefined ? {} : { key: call.key }),
    retryAfterMs: refusal.retryAfterMs ?? null,
    alternatives: tool.alternatives,
  };
}

/** Returns how a call ended whose attempts are over. */
export function failedEnd(call: OpenCall, end: Extract<SeriesEnd, { kind: 'failed' }>): Unanswered {
  const reason = failedReason(call, end);
  const report = refusedReport(call, { ...end, reason, replayed: end.ledger === 'replayed' });
  if (end.ledger === 'unknown') return { kind: 'unknown', report };
  // What the ledger knows for certain is known, even where it is no answer.
  const isKnown = end.ledger !== undefined;
  if (report.effectMayHaveHappened && call.tool.effect === 'write' && !isKnown)
    return { kind: 'unknown', report };
  if (end.stop === 'breaker-open' && isUntouched(end.sums)) return { kind: 'rejected', report };
  if (!end.retryable && !end.fallback) return { kind: 'failed', report };
  return { kind: 'exhausted', report };
}

/** No attempt has come as far as to send anything. */
function isUntouched({ failed, ambiguous }: Sums): boolean {
  return failed === '' && !ambiguous;
}

/** Returns how a call ended whose worker was lost, and which isn't scheduled again. */
export function interruptedEnd(
  call: OpenCall,
  lost: { readonly sums: Sums; readonly message: string; readonly isLate: boolean },
): Unanswered {
  const { sums, message, isLate } = lost;
  const kind = call.tool.effect === 'write' ? 'unknown' : 'exhausted';
  const how = isLate
    ? ({ class: 'timeout', reason: 'deadline' } as const)
    : ({ class: null, reason: 'interrupted' } as const);
  return { kind, report: refusedReport(call, { ...how, sums, message, cutOff: true }) };
}

/** Returns how a call ended that had to wait longer than it may; what it waited for may know of its effect. */
export function waitedTooLong(call: OpenCall, sums: Sums, waits: number): Unanswered {
  const { effect } = call.tool;
  const message = `${callName(call.tool)} would have to wait past the task's deadline, or has waited ${waits} times.`;
  const kind = effect !== 'read' && sums.ambiguous ? 'unknown' : 'exhausted';
  const refusal = { class: null, message, reason: 'wait', cutOff: true, sums } as const;
  return { kind, report: refusedReport(call, refusal) };
}

/** Returns how a call ended whose last scheduling no worker started; a lost one before it may have had its effect. */
export function notStartedEnd(
  call: OpenCall,
  end: { readonly sums: Sums; readonly message: string },
): Unanswered {
  const refusal = { ...end, class: 'timeout', reason: 'deadline' } as const;
  const kind = call.tool.effect !== 'read' && end.sums.ambiguous ? 'unknown' : 'failed';
  return { kind, report: refusedReport(call, refusal) };
}

/** Returns the line by which the state remembers a call. Holds no data of the user's. */
export function callLine(kind: CallLine['kind'], report: CallReport | FailureReport): CallLine {
  const { call, step, undoes, tool, attempts, attemptsKnown } = report;
  const { retries, share, interruptions, tokens, cost } = report;
  return {
    call,
    ...(step === undefined ? {} : { step }),
    ...(undoes === undefined ? {} : { undoes }),
    tool,
    kind,
    attempts,
    attemptsKnown,
    retries,
    share,
    interruptions,
    tokens,
    ...(cost === undefined ? {} : { cost }),
    ...('reason' in report ? { reason: report.reason, class: report.class } : {}),
  };
}

function costField(sums: Sums, useful: number | null): Pick<CallReport, 'cost'> {
  const cost = callCost(sums, useful);
  return cost === undefined ? {} : { cost };
}

function failedReason(
  call: OpenCall,
  end: Extract<SeriesEnd, { kind: 'failed' }>,
): ExhaustionReason {
  if (end.stop !== null) return end.stop;
  if (!end.retryable) return 'not-retryable';
  if (call.isOutOfTokens === true) return 'token-budget';
  return call.share < call.wanted ? 'retry-budget' : 'attempts';
}

function openReport(call: OpenCall): Omit<CallReport, 'attempts' | 'retries' | 'tokens'> {
  const { tool, step, undoes } = call;
  return {
    call: call.call,
    ...(step === undefined ? {} : { step }),
    ...(undoes === undefined ? {} : { undoes }),
    tool: callName(tool),
    downstream: tool.downstream,
    attemptsKnown: true,
    blind: false,
    share: call.share,
    interruptions: call.interruptions,
    replayed: false,
  };
}
