import { HoldfastError } from '../budget/errors.js';

/** A request that is larger than what its limit admits in any minute: waiting would not help. */
export class LimitExceededError extends HoldfastError {
  readonly kind = 'limit-exceeded';

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

  constructor(
    readonly operation: string,
    cause: unknown,
  ) {
    super(`The limiter could not ${operation}: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
}
