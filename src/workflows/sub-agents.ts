import { extractWorkflowType, type WithWorkflowArgs } from '@temporalio/common';
import {
  type ChildWorkflowHandle,
  type ChildWorkflowOptions,
  defineSignal,
  isCancellation,
  setHandler,
  startChild,
  type Workflow,
  type WorkflowResultType,
} from '@temporalio/workflow';
import { throwFaults } from '../budget/errors.js';
import { freeRetries } from '../budget/retry-pool.js';
import { type Rule, rules } from '../budget/rules.js';
import { isPlainObject } from '../contract/json.js';
import { type ChildSpent, signals } from '../contract/messages.js';
import { shapeFaults } from '../contract/shape-check.js';
import { isSpent, nothingSpent, type Slice, type Spent } from '../contract/spent.js';
import { runSettingsOf, spareRetries, stateOf } from './call-plan.js';
import { openFailure, openResult } from './child-end.js';
import { withChildOrder } from './child-order.js';
import { hasRandomId, nextChildId } from './child-workflows.js';
import { refuseInvalid } from './invalid-request.js';
import type { RunContext } from './run-context.js';
import { earlier, taskTimeLeftMs } from './run-state.js';
import { giveSlice, takeBack, wholeOf } from './slices.js';
import { tokensLeftOf } from './token-allowance.js';

/** What a child gets of its parent's budgets. More than is free is cut to that. */
export type SliceRequest = {
  /** @default what a call beyond the plan would get: free retries / calls still expected, rounded up */
  readonly retries?: number;
  /** Tokens that the child is expected to need. @default the run's target / (1 + calls still expected) */
  readonly tokens?: number;
  /** Milliseconds that the child may take; never past the parent's deadline. @default the child's own policy's */
  readonly deadlineMs?: number;
};

/** How a child with a slice is started: as any child workflow, with a part of the run's budgets. */
export type SubAgentOptions<T extends Workflow> = WithWorkflowArgs<T, ChildWorkflowOptions> & {
  readonly slice?: SliceRequest;
  /** For whom it works. @default the run's own tenant */
  readonly tenant?: string;
};

const childSpent = defineSignal<[ChildSpent]>(signals.childSpent);

const sliceShape: Readonly<Record<keyof SliceRequest, Rule>> = {
  retries: rules.nonNegativeInteger,
  tokens: rules.nonNegativeInteger,
  deadlineMs: rules.positiveNumber,
};

/**
 * Starts a child with a slice of the run's budgets. What it doesn't use returns when it ends, whether anybody waits
 * for it or not.
 */
export async function startSubAgent<T extends Workflow>(
  run: RunContext,
  workflow: string | T,
  options: SubAgentOptions<T>,
): Promise<ChildWorkflowHandle<T>> {
  const { slice: asked = {}, tenant = run.tenant, ...others } = options;
  refuseInvalid(() => throwFaults(shapeFaults(asked, sliceShape, 'slice')));
  const own = { retry: { maximumAttempts: 1 }, ...(others as ChildWorkflowOptions) }; // with the workflow's arguments
  // Where the gate only looks on, or is off, nothing is taken off anybody's budget.
  if (stateOf(run).mode !== 'on') {
    const marked = withChildOrder(own, { tenant });
    return startChild(workflow as string, marked as unknown as StartOptions<T>); // either form is taken
  }
  const workflowName = extractWorkflowType(workflow);
  const idIsStable = own.workflowId !== undefined || !hasRandomId(run);
  const workflowId = own.workflowId ?? nextChildId(run, workflowName);
  const slice = sliceFor(run, asked);
  hearChildren(run);
  run.state = giveSlice(stateOf(run), { workflowId, workflow: workflowName, slice });
  const order = { tenant, child: { idIsStable, slice } };
  const marked = withChildOrder({ ...own, workflowId }, order);
  try {
    const handle = await startChild(workflow as string, marked as unknown as StartOptions<T>); // the same
    return settling(run, handle as ChildWorkflowHandle<T>, slice);
  } catch (error) {
    book(run, workflowId, { end: 'not-started', spent: nothingSpent });
    throw error;
  }
}

/** Starts a child with a slice, waits for it, and returns its value. */
export async function executeSubAgent<T extends Workflow>(
  run: RunContext,
  workflow: string | T,
  options: SubAgentOptions<T>,
): Promise<WorkflowResultType<T>> {
  const handle = await startSubAgent(run, workflow, options);
  return handle.result();
}

type StartOptions<T extends Workflow> = WithWorkflowArgs<T, ChildWorkflowOptions>;

/** Books the end of a child when it comes, and hands out the child's own value or failure. */
function settling<T extends Workflow>(
  run: RunContext,
  handle: ChildWorkflowHandle<T>,
  slice: Slice,
): ChildWorkflowHandle<T> {
  const { workflowId } = handle;
  const ended = handle.result().then(
    (result) => {
      const { value, spent = toldBy(run, workflowId) ?? wholeOf(slice) } = openResult(result);
      book(run, workflowId, { end: 'ok', spent });
      return value as WorkflowResultType<T>; // the child's own, as it was before its envelope
    },
    (error: unknown) => {
      const spent = openFailure(error) ?? toldBy(run, workflowId);
      const end = isCancellation(error) ? 'cancelled' : spent === undefined ? 'lost' : 'failed';
      book(run, workflowId, { end, spent: spent ?? wholeOf(slice) });
      throw error;
    },
  );
  ended.catch(() => {}); // whoever awaits the result gets the error all the same
  return { ...handle, result: () => ended };
}

function book(
  run: RunContext,
  workflowId: string,
  end: Omit<Parameters<typeof takeBack>[1], 'workflowId'>,
): void {
  run.state = takeBack(stateOf(run), { workflowId, ...end });
}

function toldBy({ toldSpent }: RunContext, workflowId: string): Spent | undefined {
  const spent = toldSpent?.get(workflowId);
  toldSpent?.delete(workflowId);
  return spent;
}

/** A run that has given no slice hears no child: what comes then is of a run before it, which has charged it. */
function hearChildren(run: RunContext): void {
  if (run.toldSpent !== undefined) return;
  const told = new Map<string, Spent>();
  run.toldSpent = told;
  setHandler(childSpent, (word: unknown) => {
    if (!isPlainObject(word) || !isSpent(word.spent)) return;
    told.set(String(word.workflowId), word.spent);
  });
}

function sliceFor(run: RunContext, asked: SliceRequest): Slice {
  const state = stateOf(run);
  const { target, retryPercent } = runSettingsOf(run).tokens;
  const { retries, tokens = Math.ceil(target / (1 + state.planned.length)), deadlineMs } = asked;
  const nowMs = Date.now();
  const leftMs = taskTimeLeftMs(state, nowMs);
  return {
    retries: retries === undefined ? spareRetries(run) : Math.min(retries, freeRetries(state.pool)),
    tokens,
    retryTokens: Math.floor(Math.min(tokensLeftOf(run), (tokens * retryPercent) / 100)),
    deadlineAt: earlier(
      deadlineMs === undefined ? null : nowMs + deadlineMs,
      Number.isFinite(leftMs) ? nowMs + leftMs : null,
    ),
  };
}
