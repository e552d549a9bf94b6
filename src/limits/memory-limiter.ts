import { randomUUID } from 'node:crypto';
import { assertNever } from '../budget/assert-never.js';
import { createAlarm } from './alarm.js';
import { keyText } from './key-text.js';
import { createLane, type Lane, type Told } from './lane.js';
import { LimitExceededError, LimiterUnavailableError } from './limit-errors.js';
import { type LimitValues, limitValues } from './limit-values.js';
import type { Admission, AdmissionRequest, Limiter, LimitKey, Reservation } from './limiter.js';
import { type LimiterClock, monotonicClock } from './limiter-clock.js';
import {
  checkRequest,
  checkTokens,
  comesBack,
  nothingReserved,
  oversizeOf,
} from './request-check.js';
import { type Spent, windowMs } from './rolling-window.js';

/** Returns a limiter for this process alone: workers of one process share what it admits, others don't know of it. */
export function createMemoryLimiter(clock: LimiterClock = monotonicClock): Limiter {
  const lanes = new Map<string, Lane>();
  const awaited = new Set<Lane>();
  /** Tickets of another process, or of this one before it was started again, are nobody's here. */
  const ticketPrefix = randomUUID();
  let tickets = 0;
  let sweptAt = clock.now();
  let isClosed = false;

  const nextTicket = (): string => {
    tickets += 1;
    return `${ticketPrefix}-${tickets}`;
  };
  const alarm = createAlarm(clock, () => {
    const now = clock.now();
    for (const lane of awaited) {
      if (lane.wakeAt() <= now) lane.advance(now);
      watch(lane);
    }
  });
  const watch = (lane: Lane): void => {
    const at = lane.wakeAt();
    if (at === Number.POSITIVE_INFINITY) awaited.delete(lane);
    else awaited.add(lane);
    alarm.setAt(at);
  };
  const sweep = (now: number): void => {
    if (now - sweptAt < windowMs) return;
    sweptAt = now;
    for (const [key, lane] of lanes) {
      lane.advance(now);
      if (lane.isIdle(now)) lanes.delete(key);
    }
  };
  const laneOf = (limitKey: LimitKey, limits: LimitValues): Lane => {
    const key = keyText(limitKey);
    const known = lanes.get(key);
    known?.setLimits(limits);
    const lane = known ?? createLane(limits);
    if (known === undefined) lanes.set(key, lane);
    return lane;
  };
  const reserve = (lane: Lane, spent: Spent): Reservation => {
    let hasEnded = false;
    const end = (tokens: number | undefined): void => {
      if (hasEnded) return;
      hasEnded = true;
      lane.correct(clock.now(), spent, tokens);
      watch(lane);
    };
    return {
      settle: async (tokens) => {
        checkTokens(tokens);
        end(tokens);
      },
      release: async () => end(undefined),
    };
  };
  const wait = (lane: Lane, request: AdmissionRequest): Promise<Admission> =>
    new Promise((resolve, reject) => {
      const { signal, tokens, key } = request;
      const ticket = request.ticket ?? nextTicket();
      const leave = (): void => {
        lane.leave(clock.now(), ticket);
        watch(lane);
      };
      const onAbort = (): void => {
        leave();
        reject(signal?.reason);
      };
      const tell = (told: Told): void => {
        signal?.removeEventListener('abort', onAbort);
        switch (told.kind) {
          case 'admitted':
            resolve({ kind: 'admitted', reservation: reserve(lane, told.spent) });
            break;
          case 'later':
            resolve({ ...told, ticket });
            // not from inside the lane, which is still at work on its places
            if (!comesBack(request, told.waitMs)) queueMicrotask(leave);
            break;
          case 'never-fits':
            reject(new LimitExceededError(key.downstream, tokens, told.tokensPerMinute));
            break;
          case 'closed':
            reject(closedError('admit'));
            break;
          default:
            assertNever(told);
        }
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const now = clock.now();
      lane.ask(now, { ticket, tokens, waiter: { deadlineAt: now + request.maxWaitMs, tell } });
      watch(lane);
    });

  return {
    kind: 'memory',
    admit: async (request) => {
      checkRequest(request);
      request.signal?.throwIfAborted();
      if (isClosed) throw closedError('admit');
      const limits = limitValues(request.figures);
      if (limits === undefined) return { kind: 'admitted', reservation: nothingReserved };
      const now = clock.now();
      sweep(now);
      const lane = laneOf(request.key, limits);
      const oversize = oversizeOf(request);
      if (oversize === undefined) {
        const spent = lane.spendNow(now, request.tokens);
        if (spent === undefined) return wait(lane, request);
        return { kind: 'admitted', reservation: reserve(lane, spent) };
      }
      if (request.ticket !== undefined) lane.leave(now, request.ticket);
      throw oversize;
    },
    close: async () => {
      isClosed = true;
      alarm.clear();
      awaited.clear();
      for (const lane of lanes.values()) lane.close();
      lanes.clear();
    },
  };
}

function closedError(operation: string): LimiterUnavailableError {
  return new LimiterUnavailableError(operation, new Error('it has been closed'));
}
