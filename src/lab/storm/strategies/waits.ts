import {
  type BackoffPolicy,
  backoffDelay,
  envelopeMs,
  type Jitter,
} from '../../../budget/backoff.js';
import type { Wait } from './strategy.js';

type Envelope = Pick<BackoffPolicy, 'baseMs' | 'capMs'>;
type Waits = (wait: Wait) => number;

/** Waits as a policy's backoff does. */
export function backoffWaits(envelope: Envelope, jitter: Jitter): Waits {
  const { baseMs, capMs } = envelope;
  // written out, since a spread for each retry takes more time than all the rest of it
  return ({ retry, previousMs = baseMs, random }) =>
    backoffDelay({ baseMs, capMs, jitter, retry, previousMs, random: random.next });
}

/** Always waits the same. */
export function fixedWaits(delayMs: number): Waits {
  return () => delayMs;
}

/** Waits a fixed time and up to a half of it more. */
export function fixedJitterWaits(delayMs: number): Waits {
  return ({ random }) => delayMs * (1 + random.next() / 2);
}

/** Waits a half of the envelope, and a share of the other half ("equal jitter" of V96's study). */
export function equalJitterWaits(envelope: Envelope): Waits {
  return ({ retry, random }) => {
    const half = envelopeMs({ ...envelope, retry }) / 2;
    return half + random.next() * half;
  };
}
