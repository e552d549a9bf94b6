import type { Random } from '../random.js';

/** How long a retry waits. */
export type Wait = {
  /** Retries before this one: 0 for the first retry. */
  readonly retry: number;
  /** Milliseconds that the call waited before; undefined before its first retry. */
  readonly previousMs: number | undefined;
  readonly random: Random;
};

/** Whether a client may retry: one for all clients, told which of them asks. */
export interface Allowance {
  /** A call begins: hears of it before its first attempt. */
  callBegins?(client: number): void;
  attemptSent?(client: number, nowMs: number): void;
  /** Hears of each failure, whether a retry is left or not. */
  attemptFailed?(client: number): void;
  /** Decides about a retry that is due at `dueMs`, and charges it. */
  mayRetry(client: number, dueMs: number, nowMs: number): boolean | Promise<boolean>;
  /** Waits for what was begun by the call before, where that is not done at once. */
  settled?(): Promise<void>;
}

/** How an attempt ended, for a guard. */
export type GuardEnd = {
  readonly generation: number;
  readonly end: 'success' | 'failure';
  readonly nowMs: number;
};

/** Whether an attempt may be sent: one for all clients, told which of them asks. */
export interface Guard {
  /** Returns the generation of the admission, or undefined for a rejection. */
  admit(client: number, nowMs: number): number | undefined;
  record(client: number, end: GuardEnd): void;
}

/** How clients behave. What it remembers belongs to one run. */
export type Strategy = {
  /** Attempts of a call at most, the first one included. */
  readonly maxAttempts: number;
  readonly waitMs: (wait: Wait) => number;
  readonly allowance?: Allowance;
  readonly guard?: Guard;
};
