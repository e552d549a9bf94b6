import {
  ApplicationFailure,
  CancellationScope,
  getExternalWorkflowHandle,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { SpentEnvelope } from '../contract/call-header.js';
import { isJsonAtTop, isPlainObject } from '../contract/json.js';
import { type ChildSpent, signals } from '../contract/messages.js';
import { isSpent, nothingSpent, type Spent, spentInAll, withoutSpent } from '../contract/spent.js';
import type { RunContext } from './run-context.js';

/**
 * Lets a child with a slice say what it used of it: in its result, or in its failure. A child that is cancelled,
 * or whose end can carry nothing, tells it by a signal before it ends.
 */
export async function tellSpent(run: RunContext, ended: Promise<unknown>): Promise<unknown> {
  const end = await ended.then(
    (value: unknown) => ({ kind: 'ok', value }) as const,
    (error: unknown) => ({ kind: 'threw', error }) as const,
  );
  const spent = ownSpent(run);
  if (end.kind === 'ok') {
    if (end.value === undefined || isJsonAtTop(end.value)) return sealed(spent, end.value);
    await signalParent(spent);
    return end.value;
  }
  const { error } = end;
  // Anything else ends no run: it continues as new, or its task is tried again.
  if (error instanceof TemporalFailure && !sealFailure(error, spent)) await signalParent(spent);
  throw error;
}

/** Takes a child's result out of its envelope; without one nobody knows what it used. */
export function openResult(result: unknown): {
  readonly value: unknown;
  readonly spent: Spent | undefined;
} {
  if (!isPlainObject(result) || result.$holdfast !== 1 || !isSpent(result.spent)) {
    return { value: result, spent: undefined };
  }
  return { value: result.value, spent: result.spent };
}

/** Returns what a child says in its failure that it used; undefined where it doesn't. */
export function spentIn(error: unknown): Spent | undefined {
  const detail: unknown = carrierOf(error)?.details?.at(-1);
  return isPlainObject(detail) && detail.$holdfast === 1 && isSpent(detail.spent)
    ? detail.spent
    : undefined;
}

/** Takes that off the failure, so that user code sees its own details only. */
export function openFailure(error: unknown): Spent | undefined {
  const spent = spentIn(error);
  const carrier = carrierOf(error);
  if (spent === undefined || carrier === undefined) return undefined;
  setDetails(error, carrier, (carrier.details ?? []).slice(0, -1));
  return spent;
}

function ownSpent({ state }: RunContext): Spent {
  if (state === undefined) return nothingSpent;
  const all = spentInAll(state);
  return state.inherited === undefined ? all : withoutSpent(all, state.inherited.spent);
}

function sealed(spent: Spent, value: unknown): SpentEnvelope {
  return { $holdfast: 1, spent, ...(value === undefined ? {} : { value }) };
}

function sealFailure(error: TemporalFailure, spent: Spent): boolean {
  const carrier = carrierOf(error);
  if (carrier === undefined) return false;
  setDetails(error, carrier, [...(carrier.details ?? []), sealed(spent, undefined)]);
  return true;
}

/** Finds the failure of a chain of causes that can carry details. */
function carrierOf(error: unknown): ApplicationFailure | undefined {
  let at = error;
  while (at instanceof TemporalFailure && !(at instanceof ApplicationFailure)) at = at.cause;
  return at instanceof ApplicationFailure ? at : undefined;
}

/** Failures that came over the wire would be sent on as they came; without that they are made of their fields. */
function setDetails(error: unknown, carrier: ApplicationFailure, details: unknown[]): void {
  for (let at = error; at instanceof TemporalFailure && at !== carrier; at = at.cause) {
    Object.assign(at, { failure: undefined });
  }
  Object.assign(carrier, { details, failure: undefined });
}

/** The run may be cancelled already, and its parent gone: then nobody waits for the word. */
async function signalParent(spent: Spent): Promise<void> {
  const { parent, workflowId } = workflowInfo();
  if (parent === undefined) return;
  const word: ChildSpent = { workflowId, spent };
  const handle = getExternalWorkflowHandle(parent.workflowId);
  await CancellationScope.nonCancellable(() => handle.signal(signals.childSpent, word)).catch(
    () => {},
  );
}
