import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { fetchEvents, fetchRun, isGone } from '../../history/fetch-run.js';
import { asNumber } from '../../history/raw-values.js';
import type { RunFacts } from '../../history/run-facts.js';
import { refusedBy } from './refused-by.js';
import { mapAtOnce, type RunSource, sorted } from './run-source.js';

/** Runs of one page, each of which is a request or more. */
const pageSize = 100;
/** Histories that are asked for at once: an audit is no load test of the server. */
const atOnce = 8;

/** The two lists that are read, one after the other. */
const parts = ['ended', 'open'] as const;

/** Where a list goes on. */
type Place = { readonly part: (typeof parts)[number]; readonly token: string | null };

/**
 * Returns the runs of a namespace that a visibility query finds. Those that have ended come first: a list of all
 * begins with the open ones, so that a run which ends while the pages go on would come again. Like this it may be
 * left out, and never comes twice.
 * @throws UsageError, from what it returns, for a query that the server refuses and a cursor that it no longer takes
 */
export function namespaceSource(
  client: Client,
  { address, query }: { readonly address: string; readonly query: string },
): RunSource {
  const { namespace } = client.options;
  const service = client.workflowService;
  return {
    name: `${address} ${namespace} ${query}`,
    count: async () => {
      const counted = await service
        .countWorkflowExecutions({ namespace, query })
        .catch(refusedBy('--query'));
      const { count } = counted;
      return count === null || count === undefined ? null : Number(count);
    },
    page: async (cursor) => {
      const { part, token } = placeOf(cursor);
      const found = await service
        .listWorkflowExecutions({
          namespace,
          query: queryOf(query, part),
          pageSize,
          nextPageToken: token === null ? null : Buffer.from(token, 'base64'),
        })
        .catch(refusedBy(token === null ? '--query' : 'where --state left off'));
      const read = await mapAtOnce(found.executions ?? [], atOnce, (listed) =>
        fetchListed(client, listed),
      );
      return { ...sorted(read), next: nextOf(part, found.nextPageToken ?? null) };
    },
  };
}

function queryOf(query: string, part: Place['part']): string {
  const status = `ExecutionStatus ${part === 'open' ? '=' : '!='} 'Running'`;
  return query.trim() === '' ? status : `(${query}) AND ${status}`;
}

function placeOf(cursor: string | null): Place {
  const [part, token = ''] = cursor?.split(' ') ?? [];
  return { part: part === 'open' ? 'open' : 'ended', token: token === '' ? null : token };
}

function nextOf(part: Place['part'], token: Uint8Array | null): string | null {
  if (token !== null && token.length > 0) return `${part} ${Buffer.from(token).toString('base64')}`;
  return part === 'ended' ? 'open ' : null;
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
