import { HoldfastError } from '../budget/errors.js';
import { reasonOf } from '../database/database-errors.js';

/** A request that is larger than what its limit admits in any minute: waiting would not help. */
export class LimitExceededError extends HoldfastError {
  readonly kind = 'limit-exceeded';
  override readonly name = 'LimitExceededError';

  constructor(
    readonly downstream: string,
    /** Tokens that were asked for. */
    readonly tokens: number,
    /** Tokens that a minute admits. */
    readonly tokensPerMinute: number,
  ) {
    super(
      `A request of ${tokens} tokens never fits the limit of ${downstream}, ${tokensPerMinute} tokens a minute: ` +
        'ask for fewer, or raise limits.tokensPerMinute.',
    );
  }
}

/** The store of the limiter gave no answer. */
export class LimiterUnavailableError extends HoldfastError {
  readonly kind = 'limiter-unavailable';
  override readonly name = 'LimiterUnavailableError';

  constructor(
    /** What was asked for, as a verb: `admit`, `settle`, `release`, `open`. */
    readonly operation: string,
    cause: unknown,
  ) {
    super(`The limiter could not ${operation}: ${reasonOf(cause)}`, { cause });
  }
}

/** A database that can't keep limits, whatever is tried again. */
export class LimiterUnusableError extends HoldfastError {
  readonly kind = 'limiter-unusable';
  override readonly name = 'LimiterUnusableError';
}
