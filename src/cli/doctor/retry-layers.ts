import type { Client } from '@temporalio/client';
import { readRun } from '../../history/read-history.js';
import type { Check } from './check.js';

const RUNS_READ = 50;
const EVENTS_READ = 50;
const TYPES_SHOWN = 5;

/** How often one type of workflow tries, and its activities inside it; 0 is without end, as Temporal says it. */
type Layers = { readonly type: string; readonly runs: number; readonly activities: number };

/** Looks at the beginning of recent runs for retries of a workflow over retries of its activities: they multiply. */
export async function retryLayersCheck(client: Client, namespace: string): Promise<Check> {
  const check = 'retries in layers';
  const runs = [
    ...(await recentRuns(client, namespace, 'ParentWorkflowId IS NOT NULL')),
    ...(await recentRuns(client, namespace, '')),
  ];
  const ids = new Set<string>();
  const layered = new Map<string, Layers>();
  for (const { workflowId, runId, type } of runs) {
    if (ids.has(runId)) continue;
    ids.add(runId);
    const layers = await layersOf(client, { namespace, workflowId, runId, type });
    if (layers !== undefined) layered.set(type, layers);
  }
  if (layered.size === 0) {
    return { check, state: 'ok', found: `none in the ${ids.size} runs that were read` };
  }
  const found = [...layered.values()].slice(0, TYPES_SHOWN).map(layersText).join('; ');
  const advice =
    'An outage is multiplied by each layer: retry the activities under one budget, and give the workflow no retry policy.';
  return { check, state: 'warning', found, advice };
}

type Run = { readonly workflowId: string; readonly runId: string; readonly type: string };

async function recentRuns(client: Client, namespace: string, query: string): Promise<Run[]> {
  const listed = await client.workflowService.listWorkflowExecutions({
    namespace,
    query,
    pageSize: RUNS_READ,
  });
  return (listed.executions ?? []).flatMap(({ execution, type }) => {
    const { workflowId, runId } = execution ?? {};
    return workflowId && runId ? [{ workflowId, runId, type: type?.name ?? '' }] : [];
  });
}

async function layersOf(
  client: Client,
  { namespace, workflowId, runId, type }: Run & { readonly namespace: string },
): Promise<Layers | undefined> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace,
    execution: { workflowId, runId },
    maximumPageSize: EVENTS_READ,
  });
  const { retryPolicy: own, activities } = readRun(history ?? {});
  if (own === null || own.maximumAttempts === 1) return undefined;
  const retried = activities
    .map(({ retryPolicy }) => retryPolicy.maximumAttempts)
    .filter((most) => most !== 1);
  if (retried.length === 0) return undefined;
  return {
    type,
    runs: own.maximumAttempts,
    activities: retried.includes(0) ? 0 : Math.max(...retried),
  };
}

function layersText({ type, runs, activities }: Layers): string {
  const inAll =
    runs === 0 || activities === 0 ? 'attempts without end' : `${runs * activities} attempts`;
  return `${type}: ${mostText(runs)} of the workflow over ${mostText(activities)} of an activity, ${inAll}`;
}

function mostText(most: number): string {
  return most === 0 ? 'endless attempts' : `${most} attempts`;
}
