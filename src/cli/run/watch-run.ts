import type { Client, WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { type BatchProgress, PROGRESS_QUERY } from '../../contract/batch.js';
import { queries, type WaitingApproval, type WaitingQuestion } from '../../contract/messages.js';
import type { RunReport } from '../../contract/run-state.js';
import { printable } from '../printable.js';
import { callsText } from './run-text.js';
import type { TaskKind } from './task-input.js';

/** Milliseconds that a worker has for the answer to a query; one that is busy is asked again later. */
const ANSWER_WITHIN_MS = 3_000;

/** Events of a run that no worker has looked at: started, and its first workflow task scheduled. */
const UNTOUCHED_EVENTS = 2;

/** Says in a line how far a run is; undefined where nobody tells at present. */
export async function progressOf(
  client: Client,
  handle: WorkflowHandle,
  kind: TaskKind,
): Promise<string | undefined> {
  return client.withDeadline(Date.now() + ANSWER_WITHIN_MS, async () => {
    const described = await handle.describe().catch(() => undefined); // its end is told by the result
    if (described === undefined) return undefined;
    if (described.historyLength <= UNTOUCHED_EVENTS) {
      return `waits for a worker on the task queue ${printable(described.taskQueue)}`;
    }
    const told = kind === 'batch' ? await batchLine(handle) : await runLine(handle);
    return [told, ...pendingLines(described)].filter((part) => part !== undefined).join('; ');
  });
}

async function batchLine(handle: WorkflowHandle): Promise<string | undefined> {
  const progress = await answer<BatchProgress>(handle, PROGRESS_QUERY);
  if (progress === undefined) return undefined;
  const { started, total, ok, degraded, failed, cancelled, running, paused } = progress;
  return (
    `${started} of ${total ?? 'an unknown number of'} items started: ${ok} ok, ${degraded} degraded, ` +
    `${failed} failed, ${cancelled} cancelled, ${running} running${paused ? ' (paused)' : ''}`
  );
}

async function runLine(handle: WorkflowHandle): Promise<string | undefined> {
  const report = await answer<RunReport>(handle, queries.report);
  if (report === undefined) return undefined;
  const [approvals, questions] = await Promise.all([
    answer<readonly WaitingApproval[]>(handle, queries.approvals),
    answer<readonly WaitingQuestion[]>(handle, queries.questions),
  ]);
  const waits = [
    ...(approvals ?? []).map(({ tool }) => tool),
    ...(questions ?? []).map(({ question }) => question),
  ];
  const sums = callsText(report);
  return waits.length === 0
    ? sums
    : `${sums}; waits for a person: ${waits.map(printable).join(', ')}`;
}

/** Activities that are being tried again. */
function pendingLines({ raw }: WorkflowExecutionDescription): readonly string[] {
  return (raw.pendingActivities ?? [])
    .filter(({ attempt }) => (attempt ?? 1) > 1)
    .map(({ activityType, attempt, maximumAttempts }) => {
      const most = maximumAttempts ? ` of ${maximumAttempts}` : '';
      return `${printable(activityType?.name ?? 'an activity')}: attempt ${attempt}${most}`;
    });
}

/** A run without holdfast answers none of these, nor does one without a worker; one that isn't governed says null. */
async function answer<Told>(handle: WorkflowHandle, query: string): Promise<Told | undefined> {
  const told = await handle.query<Told | null>(query).catch(() => undefined);
  return told ?? undefined;
}
