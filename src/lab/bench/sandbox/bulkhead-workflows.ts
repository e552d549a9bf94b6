import { createGovernor } from '../../../workflow.js';
import { MAX_CONCURRENT, type Neighbour, neighbourTools } from '../bulkhead-tools.js';

const policy = { downstreams: { bounded: { limits: { maxConcurrent: MAX_CONCURRENT } } } };

/** One call of the downstream that answers. */
export async function askOnce(): Promise<void> {
  const tool = neighbourTools.healthy;
  await createGovernor({ tools: [tool], policy }).need(tool, { number: 0 });
}

/** One call after another of a downstream, until somebody ends it. */
export async function askForEver({ neighbour }: { readonly neighbour: Neighbour }): Promise<void> {
  const tool = neighbourTools[neighbour];
  const governor = createGovernor({ tools: [tool], policy });
  for (let number = 0; ; number++) await governor.need(tool, { number });
}
