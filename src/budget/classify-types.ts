/** What kind of end an error is; the word that outcomes, reports and metrics use for it. */
export type ErrorClass =
  | 'server'
  | 'network'
  | 'overloaded'
  | 'timeout'
  | 'rate-limit'
  | 'quota'
  | 'conflict'
  | 'unknown'
  | 'auth'
  | 'invalid-request'
  | 'not-found'
  | 'context-length'
  | 'content-filter'
  | 'validation'
  | 'cancelled';

/** The verdict on one error: its class, whether the same call may be sent again, and when. */
export type Classification = {
  readonly class: ErrorClass;
  /** Whether sending the same call again can help; budgets are asked afterwards. */
  readonly retryable: boolean;
  /** The server's own hint in whole milliseconds; null where it gave none. */
  readonly retryAfterMs: number | null;
  /** Whether another model, tool or answer should be tried rather than waited for. */
  readonly fallback: boolean;
};

/** An error as plain data: what `errorFacts` makes of a thrown value and `classify` reads. */
export type ErrorFacts = {
  /** HTTP status of the answer; null when there was no answer. */
  readonly status: number | null;
  /** Header names in any case; a value may be a list. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The error's own code: a system code, a provider's word, a JSON-RPC number. */
  readonly code: string | number | null;
  readonly name: string | null;
  /** What the server or the tool said: parsed JSON, or the text as it came. */
  readonly body: unknown;
  /** The facts of the cause, in the same form or as a plain object; null where there is none. */
  readonly cause: unknown;
  /** False where the tool or its answer forbids a retry itself. */
  readonly retryable?: boolean;
};

/** What `classify` takes. */
export type ClassifyInput = {
  readonly error: Partial<ErrorFacts> | null | undefined;
  /** Where in the call it failed; recorded for the caller, no verdict depends on it. */
  readonly phase?: string;
  /** True when the caller's own signal has fired; left out it counts as not fired. */
  readonly localAborted?: boolean;
  /** The local time as an ISO string; without it only a Date header dates absolute hints. */
  readonly now?: string;
};
