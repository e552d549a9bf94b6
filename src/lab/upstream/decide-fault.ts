import { createHash } from 'node:crypto';
import type { Fault, RouteFaults, RouteName } from './faults.js';

/** What happens to one request. */
export type FaultDecision = {
  readonly fault: Fault | undefined;
  /** Milliseconds, 0 for no delay. */
  readonly delayMs: number;
  readonly delayAt: 'before-effect' | 'after-effect';
};

/** What a decision depends on, and nothing else. */
export type FaultQuestion = {
  readonly seed: number;
  readonly route: RouteName;
  /** The logical call: `X-Lab-Call`, else `Idempotency-Key`, else the route's counter. */
  readonly callId: string;
  /** Counted from 1 for each logical call. */
  readonly attempt: number;
  /** Requests that the route had before this one since the faults were set. */
  readonly earlierRequests: number;
  /** Milliseconds since the faults were set. */
  readonly elapsedMs: number;
  readonly faults: RouteFaults;
};

/**
 * Decides what happens to a request. Pure: the same question has the same answer, so two systems
 * under one seed meet the same faults for the same logical call and attempt.
 */
export function decideFault(question: FaultQuestion): FaultDecision {
  const [outcome, delayed, jitter] = draws(question);
  const { delay } = question.faults;
  const isDelayed = delay !== undefined && applies(delay, question) && delayed < delay.rate;
  return {
    fault: pickFault(question, outcome),
    delayMs: isDelayed ? delay.ms + jitter * delay.jitterMs : 0,
    delayAt: delay?.at ?? 'before-effect',
  };
}

function pickFault(question: FaultQuestion, draw: number): Fault | undefined {
  let passed = 0;
  for (const fault of question.faults.faults) {
    if (!applies(fault, question)) continue;
    passed += fault.rate;
    if (draw < passed) return fault;
  }
  return undefined;
}

function applies(
  scope: Pick<Fault, 'attempts' | 'window' | 'during'>,
  { attempt, earlierRequests, elapsedMs }: FaultQuestion,
): boolean {
  if (scope.attempts && !scope.attempts.includes(attempt)) return false;
  if (scope.during) {
    const { afterMs, forMs } = scope.during;
    if (elapsedMs < afterMs || elapsedMs >= afterMs + forMs) return false;
  }
  if (!scope.window) return true;
  const { after, calls } = scope.window;
  return earlierRequests >= after && earlierRequests < after + calls;
}

/** Three independent uniform numbers in [0, 1) from 48 bits of one SHA-256 each. */
function draws(question: FaultQuestion): readonly [number, number, number] {
  const { seed, route, callId, attempt } = question;
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, route, callId, attempt]))
    .digest();
  const uniform = (offset: number): number => digest.readUIntBE(offset, 6) / 2 ** 48;
  return [uniform(0), uniform(6), uniform(12)];
}
