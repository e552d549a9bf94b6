import { setTimeout } from 'node:timers/promises';
import { codeOf } from './database-errors.js';

const pauseMs = 5;

/**
 * Returns a runner that repeats what found the database locked by another process, for at most
 * `timeoutMs`. SQLite waits in the calling thread, where it would hold up everything else that a worker
 * does: it gets a short wait of its own, and this one covers the rest.
 */
export function createPatience(
  timeoutMs: number,
): <Result>(run: () => Promise<Result>) => Promise<Result> {
  return async (run) => {
    const startedAt = performance.now();
    for (;;) {
      try {
        return await run();
      } catch (error) {
        const isOver = performance.now() - startedAt >= timeoutMs;
        if (isOver || !codeOf(error).startsWith('SQLITE_BUSY')) throw error;
        await setTimeout(pauseMs * (1 + Math.random()));
      }
    }
  };
}
