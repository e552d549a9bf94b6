import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { projectFile } from './root.js';

/** A process of a test's own that answers each order with one message. */
export type AskedProcess<Order, Told> = {
  readonly tell: (order: Order) => Promise<Told>;
  /** Lets it end by itself: it hears nothing more. */
  readonly end: () => Promise<void>;
  /** Ends it as a crash would. */
  readonly kill: () => Promise<void>;
};

/** Starts a compiled script of `test/support`; it ends with this process. */
export function startAskedProcess<Order extends { readonly kind: string }, Told>(
  script: string,
  args: readonly string[] = [],
): AskedProcess<Order, Told> {
  const child: ChildProcess = fork(projectFile('dist', 'test', 'support', script), [...args]);
  const after = async (leave: () => void): Promise<void> => {
    const exited = once(child, 'exit');
    leave();
    await exited;
  };
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
        return answer as Told; // the script sends nothing else
      } finally {
        ended.catch(() => {}); // it is given up in the next line
        waits.abort();
      }
    },
    end: () => after(() => child.disconnect()),
    kill: () => after(() => void child.kill('SIGKILL')),
  };
}
