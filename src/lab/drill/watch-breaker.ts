import { setTimeout as sleep } from 'node:timers/promises';
import type { MetricName } from '../../telemetry/metrics.js';
import type { BreakerChange } from './drill-records.js';

const lookEveryMs = 200;
const gauge: MetricName = 'holdfast_worker_breaker_open';

/** Returns whether one of the worker's breakers is open, by the metrics that it tells Prometheus. */
export function readsOpen(metrics: string): boolean {
  return metrics.split('\n').some((line) => line.startsWith(`${gauge}{`) && line.endsWith(' 1'));
}

/** Looks at a worker's metrics five times a second and notes each change of its breaker, until the signal. */
export async function watchBreaker(
  url: string,
  { now, signal }: { readonly now: () => number; readonly signal: AbortSignal },
): Promise<readonly BreakerChange[]> {
  const changes: BreakerChange[] = [];
  let wasOpen = false;
  while (!signal.aborted) {
    const text: string | undefined = await fetch(url, { signal }).then(
      (answer) => answer.text(),
      () => undefined, // the worker is gone, or the drill is over
    );
    const isOpen: boolean = text === undefined ? wasOpen : readsOpen(text);
    if (isOpen !== wasOpen) changes.push({ atMs: now(), isOpen });
    wasOpen = isOpen;
    await sleep(lookEveryMs, undefined, { signal }).catch(() => {}); // the loop's condition sees it
  }
  return changes;
}
