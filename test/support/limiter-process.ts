import { type AskedProcess, startAskedProcess } from './asked-process.js';

/** What a process of the limiter's tests is told to do: see limiter-process-main.ts. */
export type LimiterOrder =
  | { readonly kind: 'open'; readonly url: string }
  /** Asks for all at once: first for those who were told to come back, then for so many of so many tokens. */
  | { readonly kind: 'ask'; readonly tokens: readonly number[] };

/** What it answers: the tokens of each that was admitted, and how many are told to come back. */
export type LimiterTold = { readonly admitted: readonly number[]; readonly away: number };

/** A process of its own that asks a limiter. */
export type LimiterProcess = AskedProcess<LimiterOrder, LimiterTold>;

/** Starts a process; it ends with this one. */
export function startLimiterProcess(): LimiterProcess {
  return startAskedProcess('limiter-process-main.js');
}
