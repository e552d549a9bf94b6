import type { Workflow } from '@temporalio/common';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  executeChild,
  isCancellation,
  ParentClosePolicy,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import { isPlainObject } from '../contract/json.js';
import type { ItemEnd } from './batch-state.js';
import { withChildOrder } from './child-order.js';
import { pacing } from './child-workflows.js';
import { runContext } from './run-context.js';

/** How the items of a batch are run. */
export type ItemRunner<Item> = {
  /** The workflow that runs one item: its type, or the function that is exported under its own name. */
  readonly workflow: string | Workflow;
  /** The workflow's argument. @default the item itself */
  readonly argumentOf?: (item: Item) => unknown;
  /**
   * What ends the item's workflow id, so that it stays the same wherever the item stands.
   * @default the item's own `id`, else its number
   */
  readonly idOf?: (item: Item) => string | number | undefined;
  /**
   * What the workflow's result means.
   * @default `degraded` where it says so, or is `partial` or `limited`, as results of tasks and loops do; else `ok`
   */
  readonly judge?: (result: unknown) => 'ok' | 'degraded' | 'failed';
  /** The task queue of the items' workflows. @default the batch's */
  readonly taskQueue?: string;
  /**
   * Whether what the items' workflows send to a downstream is spread evenly over time, where its limits say how much
   * that may be. @default true
   */
  readonly pace?: boolean;
};

/** An item that is ready to run. */
export type PreparedItem = { readonly workflowId: string; readonly argument: unknown };

/**
 * Returns an item's workflow id and argument.
 * @throws what the definition's own functions throw
 */
export function preparedItem<Item>(
  { argumentOf, idOf = ownId }: ItemRunner<Item>,
  {
    batchId,
    number,
    item,
  }: { readonly batchId: string; readonly number: number; readonly item: Item },
): PreparedItem {
  const argument = argumentOf === undefined ? item : argumentOf(item);
  return { workflowId: `${batchId}/${idOf(item) ?? number}`, argument };
}

/** Runs an item to its end, whatever that is; never throws. */
export async function itemEnd<Item>(
  { workflow, judge = judged, taskQueue, pace = true }: ItemRunner<Item>,
  { workflowId, argument }: PreparedItem,
  isRerun: boolean,
): Promise<ItemEnd> {
  try {
    const type = typeof workflow === 'string' ? workflow : workflow.name;
    const options = {
      workflowId,
      args: [argument],
      // What ran under this id before is asked for by name, or it failed: its keys, and so its effects, stay.
      workflowIdReusePolicy: isRerun
        ? WorkflowIdReusePolicy.ALLOW_DUPLICATE
        : WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
      // A batch that is terminated lets its items end as they do when they are cancelled.
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      ...(taskQueue === undefined ? {} : { taskQueue }),
    };
    const child = { idIsStable: true, ...pacing(pace) };
    const order = { tenant: runContext().tenant, child };
    const result: unknown = await executeChild(type, withChildOrder(options, order));
    const kind = judge(result);
    return kind === 'failed' ? { kind, reason: 'Its result says that it failed.' } : { kind };
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return { kind: 'repeated' };
    const kind = isCancellation(error) ? 'cancelled' : 'failed';
    return { kind, reason: reasonOf(error) };
  }
}

/** Returns what an error says in the end: a child's failure only says that there was one. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}

function ownId(item: unknown): string | number | undefined {
  if (!isPlainObject(item)) return undefined;
  const { id } = item;
  return (typeof id === 'string' && id !== '') || typeof id === 'number' ? id : undefined;
}

/** What the results of tasks, loops and batches are called that came to less than was asked for. */
const lesser: readonly unknown[] = ['degraded', 'limited', 'partial'];

/** Returns what a result means where nobody says it. */
export function judged(result: unknown): 'ok' | 'degraded' {
  if (!isPlainObject(result)) return 'ok';
  return result.degraded === true || lesser.includes(result.kind) ? 'degraded' : 'ok';
}
