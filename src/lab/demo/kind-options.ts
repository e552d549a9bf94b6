import type { WorkerOptions } from '@temporalio/worker';
import type { ToolImplementation } from '../../activities/implement-tool.js';
import { openSqlite } from '../../ledger/index.js';
import { holdfast } from '../../plugin.js';
import { heartbeating } from './heartbeating.js';

/** What tells a worker under holdfast from one of Temporal alone. */
export type KindOptions = Pick<WorkerOptions, 'plugins' | 'activities'>;

/** Returns what runs the same tools under holdfast, or, as `plain`, as ordinary activities. */
export async function kindOptions(
  kind: string,
  tools: { readonly implementations: readonly ToolImplementation[]; readonly ledgerFile: string },
): Promise<KindOptions> {
  const { implementations, ledgerFile } = tools;
  if (kind !== 'plain') {
    const ledger = await openSqlite({ path: ledgerFile });
    return { plugins: [holdfast({ implementations, ledger })] };
  }
  const activities = implementations.map(({ tool, activity }) => [
    tool.name,
    heartbeating(activity),
  ]);
  return { activities: Object.fromEntries(activities) };
}
