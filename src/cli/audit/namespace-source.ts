import type { Client } from '@temporalio/client';
import { fetchRun, isGone } from '../../history/fetch-run.js';
import type { RunFacts } from '../../history/run-facts.js';
import { mapAtOnce, type RunPage, type RunSource } from './run-source.js';

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
      const choices = (found.executions ?? []).map(({ execution }) => ({
        workflowId: execution?.workflowId ?? '',
        runId: execution?.runId ?? '',
      }));
      const read = await mapAtOnce(choices, atOnce, (choice) =>
        fetchRun(client, choice).catch((error: unknown) => {
          if (isGone(error)) return `${choice.workflowId} ${choice.runId}: its history is gone`;
          throw error;
        }),
      );
      const token = found.nextPageToken ?? null;
      return {
        ...sorted(read),
        next: token === null || token.length === 0 ? null : Buffer.from(token).toString('base64'),
      };
    },
  };
}

/** Tells runs from sentences about what could not be read. */
export function sorted(read: readonly (RunFacts | string)[]): Pick<RunPage, 'runs' | 'skipped'> {
  return {
    runs: read.flatMap((one) => (typeof one === 'string' ? [] : [one])),
    skipped: read.flatMap((one) => (typeof one === 'string' ? [one] : [])),
  };
}
