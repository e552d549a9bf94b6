import { type Client, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { CallLine } from '../../contract/run-state.js';
import type { TaskResult } from '../../contract/task.js';
import type { PlainResult } from './plain-workflows.js';

/** How the work on one ticket ended, as the server tells it. */
export type TicketEnd = {
  readonly ticket: string;
  readonly workflowId: string;
  readonly runId: string;
  readonly outcome: 'answered' | 'failed';
  /** Steps that a fallback answered; of a workflow without holdfast, whether one did at all. */
  readonly degraded: readonly string[];
  /** Attempts and retries by the governor's report; null without holdfast. */
  readonly attempts: number | null;
  readonly retries: number | null;
  /** Milliseconds from the first run's start to the last one's end. */
  readonly durationMs: number;
  /** Why it failed. */
  readonly reason?: string;
};

type Facts = Pick<TicketEnd, 'outcome' | 'degraded' | 'attempts' | 'retries' | 'reason'>;

/** Waits for a workflow's end and reads it from the server. */
export async function readTicketEnd(
  client: Client,
  started: {
    readonly ticket: string;
    readonly handle: WorkflowHandle & { readonly firstExecutionRunId: string };
  },
): Promise<TicketEnd> {
  const { ticket, handle } = started;
  const { workflowId, firstExecutionRunId } = handle;
  const facts = await handle.result().then(answeredFacts, failedFacts);
  const [first, last] = await Promise.all([
    client.workflow.getHandle(workflowId, firstExecutionRunId).describe(),
    client.workflow.getHandle(workflowId).describe(),
  ]);
  const endedAt = last.closeTime?.getTime() ?? Date.now();
  return {
    ticket,
    workflowId,
    runId: last.runId,
    durationMs: endedAt - first.startTime.getTime(),
    ...facts,
  };
}

function answeredFacts(result: TaskResult | PlainResult): Facts {
  if (!('report' in result)) {
    const degraded = result.degraded ? ['look_up'] : [];
    return { outcome: 'answered', degraded, attempts: null, retries: null };
  }
  const { steps, report } = result;
  const degraded = steps.filter(({ kind }) => kind === 'degraded').map(({ id }) => id);
  const { attempts, retries } = report;
  return { outcome: 'answered', degraded, attempts, retries };
}

function failedFacts(error: unknown): Facts {
  if (!(error instanceof WorkflowFailedError)) throw error;
  const { cause } = error;
  const reason = cause?.message ?? error.message;
  const report = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
  const known = report as // agentTask fails with its whole report
    | { readonly attempts: number; readonly retries: number; readonly lines: readonly CallLine[] }
    | undefined;
  if (known === undefined) {
    return { outcome: 'failed', degraded: [], attempts: null, retries: null, reason };
  }
  const degraded = known.lines.flatMap(({ kind, step }) =>
    kind === 'degraded' && step !== undefined ? [step] : [],
  );
  const { attempts, retries } = known;
  return { outcome: 'failed', degraded, attempts, retries, reason };
}
