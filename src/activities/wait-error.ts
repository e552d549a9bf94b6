import { HoldfastError } from '../budget/errors.js';
import type { WaitDetail } from '../contract/call-header.js';

/**
 * Thrown inside a governed attempt that has to wait longer than it should hold its slot: the workflow
 * waits on a timer and schedules the call again, at no cost to its share or its breaker.
 */
export class WaitError extends HoldfastError {
  readonly kind = 'wait';

  constructor(
    /** Milliseconds to wait. */
    readonly waitMs: number,
    readonly what: WaitDetail['what'],
    /** Whether the effect may have happened before the wait began. */
    readonly mayHaveHappened = false,
    /** The place in the limiter's queue to come back to. */
    readonly ticket?: string,
  ) {
    super(`The attempt waits ${waitMs} ms for its ${what}.`);
  }
}
