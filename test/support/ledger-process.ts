import { type AskedProcess, startAskedProcess } from './asked-process.js';

/** What a process of the ledger's tests can be told to do: see ledger-process-main.ts. */
export type LedgerOrder =
  | { readonly kind: 'open'; readonly store: 'sqlite' | 'postgres'; readonly at: string }
  /** Claims the keys at once and, where it gets a claim, causes the effect by a request to `effectUrl`. */
  | { readonly kind: 'race'; readonly keys: readonly string[]; readonly effectUrl: string }
  /** Becomes the user `nobody`, who may write nothing. */
  | { readonly kind: 'drop-rights' }
  | { readonly kind: 'close' };

/** What it answers: what it did, or the kind of an error, and the texts that belong to it. */
export type Told = { readonly kind: string; readonly texts: readonly string[] };

/** A process of its own that holds a ledger. */
export type LedgerProcess = AskedProcess<LedgerOrder, Told>;

/** Starts a process whose JavaScript clock is off by so many milliseconds; it ends with this one. */
export function startLedgerProcess(clockOffMs = 0): LedgerProcess {
  return startAskedProcess('ledger-process-main.js', [String(clockOffMs)]);
}
