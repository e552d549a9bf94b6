import { setTimeout as pause } from 'node:timers/promises';
import { LedgerUnavailableError } from '../ledger/ledger-errors.js';
import { WaitError } from './wait-error.js';

const LEAST_WAIT_MS = 1_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Asks the ledger before anything is sent. Without an answer the attempt gives its slot back: nothing runs
 * unasked (R11), and an outage of the ledger costs no call its retries.
 */
export async function unlessUnavailable<T>(
  ask: () => Promise<T>,
  mayHaveHappened = false,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof LedgerUnavailableError)) throw error;
    throw new WaitError(LEAST_WAIT_MS * (1 + Math.random()), 'ledger', mayHaveHappened);
  }
}

/** Tells the ledger an end, again and again while the attempt has time: the effect has happened by then. */
export async function persistently<T>(
  write: () => Promise<T>,
  timeLeftMs: () => number,
): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof LedgerUnavailableError) || timeLeftMs() <= pauseMs) throw error;
    }
    await pause(pauseMs);
  }
}
