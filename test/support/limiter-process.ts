import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What a process of the limiter's tests is told to do: see limiter-process-main.ts. */
export type LimiterOrder =
  | { readonly kind: 'open'; readonly url: string }
  /** Asks for all at once: first for those who were told to come back, then for so many of so many tokens. */
  | { readonly kind: 'ask'; readonly tokens: readonly number[] };

/** What it answers: the tokens of each that was admitted, and how many are told to come back. */
export type LimiterTold = { readonly admitted: readonly number[]; readonly away: number };

/** A process of its own that asks a limiter. */
export type LimiterProcess = {
  readonly tell: (order: LimiterOrder) => Promise<LimiterTold>;
  /** Ends it as a crash would. */
  readonly kill: () => Promise<void>;
};

/** Starts a process; it ends with this one. */
export function startLimiterProcess(): LimiterProcess {
  const script = fileURLToPath(new URL('./limiter-process-main.js', import.meta.url));
  const child: ChildProcess = fork(script);
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
        return answer as LimiterTold; // limiter-process-main.ts sends nothing else
      } finally {
        ended.catch(() => {}); // it is given up in the next line
        waits.abort();
      }
    },
    kill: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
