import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { fetchEvents, fetchRun, isGone } from '../../history/fetch-run.js';
import { asNumber } from '../../history/raw-values.js';
import type { RunFacts } from '../../history/run-facts.js';
import { mapAtOnce, type RunSource, sorted } from './run-source.js';

/** Runs of one page, each of which is a request or more. */
const pageSize = 100;
/** Histories that are asked for at once: an audit is no load test of the server. */
const atOnce = 8;

/** Returns the runs of a namespace that a visibility query finds, the last started first. */
export function namespaceSource(
  client: Client,
  { address, query }: { readonly address: string; readonly query: string },
): RunSource {
  const { namespace } = client.options;
  const service = client.workflowService;
  return {
    name: `${address} ${namespace} ${query}`,
    count: async () => {
      const { count } = await service.countWorkflowExecutions({ namespace, query });
      return count === null || count === undefined ? null : Number(count);
    },
    page: async (cursor) => {
      const found = await service.listWorkflowExecutions({
        namespace,
        query,
        pageSize,
        nextPageToken: cursor === null ? null : Buffer.from(cursor, 'base64'),
      });
      const read = await mapAtOnce(found.executions ?? [], atOnce, (listed) =>
        fetchListed(client, listed),
      );
      const token = found.nextPageToken ?? null;
      return {
        ...sorted(read),
        next: token === null || token.length === 0 ? null : Buffer.from(token).toString('base64'),
      };
    },
  };
}

type Listed = temporal.api.workflow.v1.IWorkflowExecutionInfo;

/** Of a run that has ended the list tells what a description would: only others are described. */
async function fetchListed(
  client: Client,
  { execution, closeTime, historySizeBytes }: Listed,
): Promise<RunFacts | string> {
  const choice = { workflowId: execution?.workflowId ?? '', runId: execution?.runId ?? '' };
  try {
    if (!closeTime) return await fetchRun(client, choice);
    return await fetchEvents(client, { ...choice, historyBytes: asNumber(historySizeBytes) });
  } catch (error) {
    if (isGone(error)) return `${choice.workflowId} ${choice.runId}: its history is gone`;
    throw error;
  }
}
