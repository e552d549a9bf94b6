import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

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
export type LedgerProcess = {
  readonly tell: (order: LedgerOrder) => Promise<Told>;
  readonly end: () => Promise<void>;
};

/** Starts a process whose JavaScript clock is off by so many milliseconds; it ends with this one. */
export function startLedgerProcess(clockOffMs = 0): LedgerProcess {
  const script = fileURLToPath(new URL('./ledger-process-main.js', import.meta.url));
  const child: ChildProcess = fork(script, [String(clockOffMs)]);
  return {
    tell: async (order) => {
      const waits = new AbortController();
      const { signal } = waits;
      const ended = once(child, 'exit', { signal }).then(([code]) => {
        throw new Error(`the process ended with ${code} when it was told to ${order.kind}`);
      });
      const answered = once(child, 'message', { signal });
      child.send(order);
      try {
        const [answer] = await Promise.race([answered, ended]);
        return answer as Told; // ledger-process-main.ts sends nothing else
      } finally {
        ended.catch(() => {}); // it is given up in the next line
        waits.abort();
      }
    },
    end: async () => {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}
