import { sleep } from '@temporalio/workflow';
import { createGovernor } from '../../../workflow.js';
import { MAX_CONCURRENT, type Neighbour, neighbourTools } from '../bulkhead-tools.js';

const policy = { downstreams: { bounded: { limits: { maxConcurrent: MAX_CONCURRENT } } } };

/** One call after another of the downstream that answers. Returns the milliseconds that each took. */
export async function askHealthy({
  forMs,
  pauseMs,
}: Readonly<Record<'forMs' | 'pauseMs', number>>): Promise<number[]> {
  const tool = neighbourTools.healthy;
  const governor = createGovernor({ tools: [tool], policy });
  const until = Date.now() + forMs;
  const latencies: number[] = [];
  while (Date.now() < until) {
    const startedAt = Date.now();
    await governor.need(tool, { number: latencies.length });
    latencies.push(Date.now() - startedAt);
    await sleep(pauseMs);
  }
  return latencies;
}

/** One call after another of a downstream, until somebody ends it. */
export async function askForEver({ neighbour }: { readonly neighbour: Neighbour }): Promise<void> {
  const tool = neighbourTools[neighbour];
  const governor = createGovernor({ tools: [tool], policy });
  for (let number = 0; ; number++) await governor.need(tool, { number });
}
