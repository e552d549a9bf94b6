import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { endOf, type RunEnd } from './run-end.js';
import type { TaskKind } from './task-input.js';
import { progressOf } from './watch-run.js';

/** Milliseconds between two looks at a run. */
const LOOK_EVERY_MS = 1_000;

/** Waits for the end of a run, and says once a second how far it is. */
export async function followRun(options: {
  readonly client: Client;
  readonly handle: WorkflowHandle;
  readonly kind: TaskKind;
  readonly onProgress: (line: string) => void;
}): Promise<RunEnd> {
  const { client, handle, kind, onProgress } = options;
  const over = new AbortController();
  const looking = (async () => {
    while (!over.signal.aborted) {
      const line = await progressOf(client, handle, kind);
      if (line !== undefined && !over.signal.aborted) onProgress(line);
      await sleep(LOOK_EVERY_MS, undefined, { signal: over.signal }).catch(() => {}); // aborted: it is over
    }
  })();
  try {
    return await endOf(handle.result());
  } finally {
    over.abort();
    await looking;
  }
}
