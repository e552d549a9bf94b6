/** What is limited as one: a downstream or model, apart for each tenant. */
export type LimitKey = { readonly downstream: string; readonly tenant?: string | undefined };

/** What a key may be sent in any minute; without a figure there is no limit. */
export type LimitFigures = {
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  /** Spread admissions evenly: 60,000 / requestsPerMinute milliseconds apart. @default false */
  readonly pace?: boolean | undefined;
};

/** A request that asks to be sent. */
export type AdmissionRequest = {
  readonly key: LimitKey;
  readonly figures: LimitFigures;
  /** Tokens that it is expected to use, input and output together: a whole number of at least 0. */
  readonly tokens: number;
  /** Milliseconds that its admission may be waited for here. */
  readonly maxWaitMs: number;
  /**
   * Milliseconds after which nobody will come back: a place whose turn is further away is given up at once, so that
   * the line isn't one of those who have left. @default whoever is told to come back does
   */
  readonly comesBackWithinMs?: number | undefined;
  /** The place in the queue that an earlier answer `later` gave. */
  readonly ticket?: string | undefined;
  /** Ends the wait; what was spent stays spent, the place in the queue is given up. */
  readonly signal?: AbortSignal | undefined;
};

/** What was reserved for an admitted request. Either end may be said twice; the first one counts. */
export type Reservation = {
  /** Corrects the reserved tokens to those that were used; past its window that changes nothing. */
  readonly settle: (tokens: number) => Promise<void>;
  /** Gives everything back: the request was never sent. */
  readonly release: () => Promise<void>;
};

/** What a limiter answers. */
export type Admission =
  | { readonly kind: 'admitted'; readonly reservation: Reservation }
  /** Not within `maxWaitMs`: come back after `waitMs` with this ticket, which keeps the place in the queue where it does. */
  | { readonly kind: 'later'; readonly waitMs: number; readonly ticket: string };

/**
 * Admits requests and tokens per minute in one step, all or nothing. No window of one minute holds more than the limit,
 * except for what was used beyond its reservation. Turns come in the order in which requests ask: a turn holds its
 * capacity until it is picked up, by who waits at once and by who was told to come back within half a minute of its
 * time; meanwhile others are admitted only where there is room for both. Figures hold from the request on that brings
 * them. A place is known by its ticket under its key, as long as the limiter is the same.
 */
export interface Limiter {
  readonly kind: 'memory' | 'postgres';
  /**
   * Reserves a request and its tokens.
   * @throws LimitExceededError at once where the tokens are more than the limit ever admits, LimiterUnavailableError
   * where the store gives no answer or the limiter was closed, InvalidRequestError for what breaks its rules, and the
   * signal's reason where it is aborted
   */
  admit(request: AdmissionRequest): Promise<Admission>;
  /** Ends its waits with LimiterUnavailableError; a second time it does nothing. */
  close(): Promise<void>;
}
