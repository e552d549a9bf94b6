import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAsking } from '../database/asking.js';
import { openPostgresDatabase, type PostgresAccess } from '../database/postgres.js';
import { keyText } from './key-text.js';
import { type LimitValues, limitValues } from './limit-values.js';
import type { Admission, AdmissionRequest, Limiter, Reservation } from './limiter.js';
import { limiterSchema } from './limiter-schema.js';
import { createStatements } from './limiter-statements.js';
import {
  checkRequest,
  checkTokens,
  comesBack,
  nothingReserved,
  oversizeOf,
} from './request-check.js';
import { untilAborted } from './until-aborted.js';

/** Where a PostgreSQL limiter keeps its figures: a pool that is handed in stays open when the limiter closes. */
export type PostgresLimiterOptions = PostgresAccess;

/** Who waits here looks again at least so often, for what others have given back meanwhile. */
const lookAgainMs = 1_000;

const sweepEveryMs = 3_600_000;

/**
 * Opens a limiter in a PostgreSQL database (12 or newer), which the workers of any number of machines may share. Its
 * clock is the server's. An admission is one statement, a wait one more a second at most.
 * @throws InvalidRequestError for options that break their rules
 * @throws LimiterUnusableError where the database refuses: a wrong password, a missing database, no right to make
 * the tables, a newer schema
 * @throws LimiterUnavailableError where it can't be reached
 */
export async function openPostgresLimiter(options: PostgresLimiterOptions): Promise<Limiter> {
  const database = await openPostgresDatabase<unknown>(
    { ...options, mustExist: false },
    limiterSchema,
  );
  const { ask, correct, leave, sweep } = createStatements(database);
  let sweptAt = performance.now();
  const { ask: run, close } = createAsking(limiterSchema, database.close);

  const sweepSometimes = (): void => {
    const now = performance.now();
    if (now - sweptAt < sweepEveryMs) return;
    sweptAt = now;
    void sweep(sweepEveryMs).catch(() => {}); // what it leaves is for the next one
  };
  const reserve = (key: string, spentId: string): Reservation => {
    let ended: Promise<void> | undefined;
    return {
      settle: async (tokens) => {
        checkTokens(tokens);
        ended ??= run('settle', () => correct(key, spentId, tokens));
        await ended;
      },
      release: async () => {
        ended ??= run('release', () => correct(key, spentId, null));
        await ended;
      },
    };
  };
  const wait = async (request: AdmissionRequest, limits: LimitValues): Promise<Admission> => {
    const { signal, tokens, maxWaitMs, ticket = randomUUID() } = request;
    const key = keyText(request.key);
    const deadlineAt = performance.now() + maxWaitMs;
    const isAborted = (): boolean => signal?.aborted === true;
    while (!isAborted()) {
      const answer = await run('admit', () => ask({ key, limits, tokens, ticket }));
      if (answer.kind === 'admitted') {
        const reservation = reserve(key, answer.spentId);
        if (!isAborted()) return { kind: 'admitted', reservation };
        await reservation.release();
        throw signal?.reason;
      }
      const { waitMs } = answer;
      if (performance.now() + waitMs > deadlineAt) {
        if (!comesBack(request, waitMs)) await run('leave', () => leave(key, ticket));
        return { kind: 'later', waitMs, ticket };
      }
      const pauseMs = Math.min(waitMs, lookAgainMs);
      await sleep(pauseMs, undefined, { signal }).catch(() => {}); // aborted: the loop ends
    }
    await run('leave', () => leave(key, ticket));
    throw signal?.reason;
  };

  return {
    kind: 'postgres',
    admit: async (request) => {
      checkRequest(request);
      request.signal?.throwIfAborted();
      const limits = limitValues(request.figures);
      if (limits === undefined) return { kind: 'admitted', reservation: nothingReserved };
      const oversize = oversizeOf(request);
      const { ticket } = request;
      if (oversize !== undefined) {
        if (ticket !== undefined) await run('leave', () => leave(keyText(request.key), ticket));
        throw oversize;
      }
      sweepSometimes();
      return untilAborted(wait(request, limits), request.signal);
    },
    close,
  };
}
