import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { asNumber } from './raw-values.js';
import { createRunReader, type RunContext } from './read-history.js';
import type { RunFacts } from './run-facts.js';

type Page = temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryResponse;

/** Which run is meant; without a run id it is the workflow's current or last one. */
export type RunChoice = { readonly workflowId: string; readonly runId?: string };

/**
 * Reads a run of a workflow from a server. A run is described first, since only the server knows of attempts that
 * have not ended.
 * @throws what the service throws, NOT_FOUND for a run that isn't there among it
 */
export async function fetchRun(client: Client, choice: RunChoice): Promise<RunFacts> {
  const { namespace } = client.options;
  const description = await client.workflowService.describeWorkflowExecution({
    namespace,
    execution: choice,
  });
  const info = description.workflowExecutionInfo;
  return fetchEvents(client, {
    workflowId: choice.workflowId,
    // each page has to be of the run that was described, also when the workflow goes on meanwhile
    runId: info?.execution?.runId ?? choice.runId ?? '',
    pendingActivities: description.pendingActivities ?? [],
    historyBytes: asNumber(info?.historySizeBytes),
  });
}

/**
 * Reads the events of a run of which the rest is known: page by page, so that only one page of a long history is in
 * memory.
 * @throws as fetchRun
 */
export async function fetchEvents(
  client: Client,
  known: RunContext & Required<RunChoice>,
): Promise<RunFacts> {
  const { namespace } = client.options;
  const { workflowId, runId } = known;
  const reader = createRunReader();
  let nextPageToken: Uint8Array | null = null;
  do {
    const page: Page = await client.workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: { workflowId, runId },
      nextPageToken,
    });
    for (const event of page.history?.events ?? []) reader.read(event);
    nextPageToken = page.nextPageToken ?? null;
  } while (nextPageToken !== null && nextPageToken.length > 0);
  return reader.facts({ namespace, ...known });
}

/** Runs that a chain of continue-as-news, retries or a schedule has at most for one report. */
export const mostRuns = 1_000;

/**
 * Reads a run with all that came before and after it by continue-as-new, a retry or a schedule, the first one first.
 * Runs that the server has already forgotten are left out.
 * @throws as fetchRun, for the chosen run
 */
export async function fetchChain(client: Client, choice: RunChoice): Promise<readonly RunFacts[]> {
  const chosen = await fetchRun(client, choice);
  const chain = [chosen];
  const { workflowId } = choice;
  const follow = async (
    from: RunFacts,
    nextOf: (run: RunFacts) => string | null,
    add: (run: RunFacts) => void,
  ): Promise<void> => {
    let runId = nextOf(from);
    while (runId !== null && chain.length < mostRuns) {
      const next = await fetchRun(client, { workflowId, runId }).catch(undefinedWhereGone);
      if (next === undefined) return;
      add(next);
      runId = nextOf(next);
    }
  };
  await follow(
    chosen,
    (run) => run.continuedFrom,
    (run) => chain.unshift(run),
  );
  await follow(
    chosen,
    (run) => run.continuedAs,
    (run) => chain.push(run),
  );
  return chain;
}

/** Tells whether an error of the service says that there is no such run, in a namespace that is there. */
export function isGone(error: unknown): boolean {
  const isNotFound = error instanceof Error && 'code' in error && error.code === NOT_FOUND;
  return isNotFound && !('details' in error && /^namespace /i.test(String(error.details)));
}

const NOT_FOUND = 5;

function undefinedWhereGone(error: unknown): undefined {
  if (isGone(error)) return undefined;
  throw error;
}
