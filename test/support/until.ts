import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 50;

/** Waits until something holds, looking every 50 ms; what never holds ends with the test's own time. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(PAUSE_MS);
}
