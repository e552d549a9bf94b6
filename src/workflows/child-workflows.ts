import {
  defaultPayloadConverter,
  type Headers,
  type Next,
  patched,
  type WorkflowInterceptors,
  type WorkflowOutboundCallsInterceptor,
  workflowInfo,
} from '@temporalio/workflow';
import type { Fault } from '../budget/errors.js';
import { type ChildHeader, headerNames, type StartHeader } from '../contract/call-header.js';
import { runSettingsOf, stateOf } from './call-plan.js';
import { withChildIndex } from './child-index.js';
import { type ChildOrder, childOrder } from './child-order.js';
import { isNamedChild } from './child-starts.js';
import { patchedOnce } from './patched-once.js';
import { type RunContext, runContext } from './run-context.js';

type Outbound = NonNullable<NonNullable<WorkflowInterceptors['outbound']>[number]>;
type StartChild = NonNullable<Outbound['startChildWorkflowExecution']>;
type StartInput = Parameters<StartChild>[0];

const UUID4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/**
 * Gives a child that nobody named the id `<parent>/<type>/<n>` in a governed run: a random one is another one after
 * a reset, and so would be the keys of the child's writes. Tells every child whether its id can change so.
 */
export function startChildWorkflowExecution(
  input: StartInput,
  next: Next<WorkflowOutboundCallsInterceptor, 'startChildWorkflowExecution'>,
): ReturnType<StartChild> {
  const run = runContext();
  const order = childOrder(input.options);
  if (order !== undefined)
    return next({ ...withChildIndex(input, run.index), headers: withOrder(input.headers, order) });
  const isNamed = isNamedChild(input.options);
  if (isNamed === undefined) return next(input);
  const isNumbered = !isNamed && numbersChildren(run) && patched('holdfast-children');
  // In place: the handle that the caller gets takes its id from these very options.
  if (isNumbered) input.options.workflowId = nextChildId(run, input.workflowType);
  const idIsStable = isNamed || (isNumbered && !hasRandomId(run));
  const known = { idIsStable, ...pacing(run.isPaced) };
  const { taskQueue = workflowInfo().taskQueue } = input.options;
  // Elsewhere nobody may keep the attributes of a child up to date.
  const isOurs = taskQueue === workflowInfo().taskQueue;
  const shown = isOurs ? withChildIndex(input, run.index) : input;
  return next({ ...shown, headers: withChildHeader(input.headers, known) });
}

function withOrder(headers: Headers, { tenant, child }: ChildOrder): Headers {
  const start: StartHeader = { v: 1, ...(tenant === undefined ? {} : { tenant }) };
  const governed = {
    ...headers,
    [headerNames.start]: defaultPayloadConverter.toPayload(start),
  };
  if (child === undefined) return governed;
  return withChildHeader(governed, { ...pacing(runContext().isPaced), ...child });
}

/** Returns what a header says of pacing. */
export function pacing(isPaced: boolean): Pick<ChildHeader, 'isPaced'> {
  return isPaced ? { isPaced } : {};
}

/** Puts what a child is to know of its id, its slice and its pace into headers, if anything is known. */
export function withChildHeader(headers: Headers, known: Omit<ChildHeader, 'v'>): Headers {
  if (Object.keys(known).length === 0) return headers;
  const header: ChildHeader = { v: 1, ...known };
  return { ...headers, [headerNames.child]: defaultPayloadConverter.toPayload(header) };
}

/** Returns why this run may make no write: its id is random, and after a reset another one. */
export function randomIdFault(): Fault | undefined {
  const run = runContext();
  if (!hasRandomId(run) || stateOf(run).mode !== 'on') return undefined;
  // A run that has made such writes already goes on as it began.
  if (!patchedOnce(run, 'holdfast-random-id')) return undefined;
  const rule =
    "must be one that doesn't change when the parent is reset, since the keys of writes are made of it: " +
    'start the child with a workflowId, or from a governed workflow';
  return { field: 'workflowId', rule, value: workflowInfo().workflowId };
}

function numbersChildren(run: RunContext): boolean {
  if (run.state !== undefined) return run.state.mode === 'on';
  return (run.policy !== undefined || run.adopted) && runSettingsOf(run).mode === 'on';
}

/** Returns the id of the run's next child of a type that nobody named. */
export function nextChildId(run: RunContext, type: string): string {
  const state = stateOf(run);
  const children = state.children ?? {};
  const number = 1 + ((Object.hasOwn(children, type) ? children[type] : undefined) ?? 0);
  run.state = { ...state, children: { ...children, [type]: number } };
  return `${workflowInfo().workflowId}/${type}/${number}`;
}

/** Tells whether the run's own id is another one after a reset of its parent. */
export function hasRandomId({ idIsStable }: RunContext): boolean {
  if (idIsStable !== undefined) return !idIsStable;
  const { parent, workflowId } = workflowInfo();
  return parent !== undefined && UUID4.test(workflowId);
}
