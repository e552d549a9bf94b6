import { CancellationScope, ContinueAsNew, sleep } from '@temporalio/workflow';
import { InvalidRequestError } from '../budget/errors.js';
import { type ToldUndo, type UndoKind, undoKind } from '../contract/compensation.js';
import type { Outcome } from '../contract/outcome.js';
import { runSettingsOf, settingsOf, stateOf } from './call-plan.js';
import { callTool, keyOf, type ToolCall } from './call-tool.js';
import { logDecision } from './decisions.js';
import { invalidRequestFailure } from './invalid-request.js';
import type { RunContext } from './run-context.js';
import { breakerOf, taskTimeLeftMs } from './run-state.js';
import { currentSaga, inSaga, type Registration, Saga } from './saga.js';
import { noteUndo, openUndo, undoContext } from './undo-state.js';

/** How a saga ended. */
export type SagaEnd<T> =
  | { readonly kind: 'kept'; readonly value: T }
  | { readonly kind: 'undone'; readonly value: T; readonly compensations: readonly ToldUndo[] }
  | {
      readonly kind: 'threw';
      readonly error: unknown;
      readonly compensations: readonly ToldUndo[];
    };

const SHORTEST_WAIT_MS = 100;
const PROBE_WAIT_MS = 1_000;

/**
 * Does work, and undoes the calls made in it where it throws, where its value isn't to be kept, or where the
 * workflow was cancelled meanwhile, even if the work was done all the same.
 */
export function runSaga<T>(
  run: RunContext,
  asked: {
    readonly work: () => Promise<T>;
    /** @default every value is */
    readonly isKept?: (value: T) => boolean;
  },
): Promise<SagaEnd<T>> {
  const outer = currentSaga();
  const ended = sagaEnd(run, new Saga(outer), asked);
  outer?.nested.push(ended);
  return ended;
}

async function sagaEnd<T>(
  run: RunContext,
  saga: Saga,
  asked: { readonly work: () => Promise<T>; readonly isKept?: (value: T) => boolean },
): Promise<SagaEnd<T>> {
  const { work, isKept = () => true } = asked;
  const outside = CancellationScope.current();
  const inside = new CancellationScope({ cancellable: true });
  const undoAll = async (): Promise<readonly ToldUndo[]> => {
    saga.isClosed = true;
    inside.cancel(); // what still runs in it would only have to be undone as well
    return CancellationScope.nonCancellable(() => undo(run, saga));
  };
  let value: T;
  try {
    value = await inSaga(saga, () => inside.run(work));
    if (outside.consideredCancelled) await outside.cancelRequested; // throws the cancellation
  } catch (error) {
    return { kind: 'threw', compensations: await undoAll(), error: thrownOn(saga, error) };
  }
  if (isKept(value)) return { kind: 'kept', value };
  return { kind: 'undone', value, compensations: await undoAll() };
}

/** A saga that continued as new would forget what it is to undo. */
function thrownOn(saga: Saga, error: unknown): unknown {
  if (!(error instanceof ContinueAsNew) || saga.registrations.length === 0) return error;
  const rule = 'must end before the workflow continues as new';
  return invalidRequestFailure(
    new InvalidRequestError([{ field: 'saga', rule, value: 'a saga that is still open' }]),
  );
}

/** Undoes what a saga's calls did, the last one first; one that can't be undone keeps none of the others. */
async function undo(run: RunContext, saga: Saga): Promise<readonly ToldUndo[]> {
  await Promise.allSettled(saga.nested);
  await Promise.all(saga.registrations.map(({ ended }) => ended));
  const wanted = saga.registrations
    .filter(({ effect, isTaken }) => effect.kind !== 'none' && !isTaken)
    .reverse();
  if (wanted.length === 0) return [];
  for (const registration of wanted) registration.isTaken = true;
  planUndo(run, wanted);
  const told: ToldUndo[] = [];
  for (const registration of wanted) {
    const one = await undoOne(run, registration);
    const { message: _said, ...undone } = one; // the state holds no data of the user's
    run.state = noteUndo(stateOf(run), undone);
    told.push(one);
  }
  return told;
}

function planUndo(run: RunContext, wanted: readonly Registration[]): void {
  const planned = wanted.map(({ compensation: { tool } }, index) => ({
    id: `${tool.name}/undo-${stateOf(run).calls}-${index}`,
    tool: tool.name,
    required: true,
  }));
  run.state = openUndo(stateOf(run), {
    policy: runSettingsOf(run),
    nowMs: Date.now(),
    planned,
  });
  for (const { compensation } of wanted) {
    const { tool } = compensation;
    if (!run.tools.has(tool.name)) run.tools.set(tool.name, tool);
  }
}

async function undoOne(run: RunContext, registration: Registration): Promise<ToldUndo> {
  const { toolCall, compensation, effect } = registration;
  const call = effect.kind === 'none' ? 0 : effect.call; // only those with an effect are undone
  const { tool, step } = toolCall;
  const by = compensation.tool;
  const told = (kind: UndoKind, message?: string): ToldUndo => ({
    call,
    ...(step === undefined ? {} : { step }),
    tool: tool.name,
    by: by.name,
    kind,
    ...(message === undefined ? {} : { message }),
  });
  const made = undoCall(registration);
  if ('message' in made) {
    logDecision({ tool: by, attempt: 1, decision: 'reject', reason: made.message });
    return told('not-made', made.message);
  }
  const outcome = await untilAdmitted(undoContext(run), { ...made, undoes: call });
  return told(
    undoKind(outcome.kind),
    'message' in outcome.report ? outcome.report.message : undefined,
  );
}

/** The user's own functions may throw: a plain throw in a workflow would repeat its task for ever. */
function undoCall({
  toolCall,
  compensation,
  effect,
}: Registration): ToolCall | { readonly message: string } {
  const value = effect.kind === 'happened' ? effect.value : undefined;
  try {
    const input = compensation.input(toolCall.input, value);
    // Equal undo calls of different effects are different effects.
    return { tool: compensation.tool, input, occurrence: keyOf(toolCall) };
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error) };
  }
}

/** An open breaker isn't the end of an undo: it waits until the breaker probes, and asks again. */
async function untilAdmitted(run: RunContext, call: ToolCall): Promise<Outcome<unknown>> {
  for (;;) {
    const outcome = await callTool<unknown>(run, call);
    // The worker's breaker may also open between two attempts of the undo: it is exhausted then.
    if (outcome.kind !== 'rejected' && outcome.kind !== 'exhausted') return outcome;
    if (outcome.report.reason !== 'breaker-open') return outcome;
    const waitMs = Math.max(breakerWaitMs(run, call), outcome.report.retryAfterMs ?? 0);
    if (waitMs >= taskTimeLeftMs(stateOf(run), Date.now())) return outcome;
    logDecision({ tool: call.tool, attempt: 1, decision: 'wait', reason: 'breaker-open' });
    await sleep(Math.ceil(waitMs));
  }
}

function breakerWaitMs(run: RunContext, { tool }: ToolCall): number {
  const breaker = breakerOf(stateOf(run), tool.downstream);
  const { probeAfterMs } = settingsOf(run, tool).downstream.breaker;
  const untilProbeMs =
    breaker.kind === 'open' ? breaker.openedAt + probeAfterMs - Date.now() : PROBE_WAIT_MS;
  return Math.max(SHORTEST_WAIT_MS, untilProbeMs);
}
