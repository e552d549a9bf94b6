import {
  type Client,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Fault } from '../budget/errors.js';
import { isPlainObject } from '../contract/json.js';
import { queries } from '../contract/messages.js';
import type { RunState } from '../contract/run-state.js';
import { isSpent, nothingSpent, type Spent, spentInAll } from '../contract/spent.js';

const QUERY_MS = 3_000;

/**
 * Returns what a workflow has spent in all, of its last run under that id: its state says so, or, where nobody
 * answers for it any more, the report in its result or failure. Undefined where there is no such workflow; nothing
 * where it was never governed.
 * @throws the query's error where neither can be had
 */
export async function readSpent(client: Client, workflowId: string): Promise<Spent | undefined> {
  const handle = client.workflow.getHandle(workflowId);
  try {
    const state = await client.withDeadline(Date.now() + QUERY_MS, () =>
      handle.query<RunState | null>(queries.state),
    );
    return state === null ? nothingSpent : spentInAll(state);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    const spent = await spentAtEnd(handle);
    if (spent === undefined) throw error;
    return spent;
  }
}

/** Returns what is wrong with the id of a workflow that isn't there. */
export function unknownWorkflow(workflowId: string): Fault {
  const rule = 'must name a workflow of this namespace that is kept still';
  return { field: 'continuesBudgetOf', rule, value: workflowId };
}

async function spentAtEnd(handle: WorkflowHandle): Promise<Spent | undefined> {
  const { status } = await handle.describe();
  if (status.name === 'RUNNING') return undefined;
  try {
    const result: unknown = await handle.result();
    return isPlainObject(result) ? spentOfReport(result.report) : undefined;
  } catch (error) {
    const cause = error instanceof WorkflowFailedError ? error.cause : undefined;
    return cause instanceof ApplicationFailure ? spentOfReport(cause.details?.[0]) : undefined;
  }
}

function spentOfReport(report: unknown): Spent | undefined {
  if (!isPlainObject(report) || !isPlainObject(report.pool)) return undefined;
  const { pool, tokens, cost } = report;
  const spent: unknown = { retries: pool.spent, tokens, ...(cost === undefined ? {} : { cost }) };
  return isSpent(spent) ? spent : undefined;
}
