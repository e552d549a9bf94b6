import { ActivityFailure, AsyncLocalStorage } from '@temporalio/workflow';
import { jsonCopy } from '../contract/json.js';
import type { Outcome } from '../contract/outcome.js';
import type { AnyCompensation } from '../contract/tool.js';
import type { BookedEnd } from './call-book.js';
import type { ToolCall } from './call-tool.js';

/** A call that may have to be undone: registered before it is made, since it can succeed and still report failure. */
export type Registration = {
  readonly toolCall: ToolCall;
  readonly compensation: AnyCompensation;
  /** Is resolved when the call has ended, however it did. */
  readonly ended: Promise<unknown>;
  /** What is known of its effect. */
  effect: Effect;
  /** True once some saga has undone it, or tried to. */
  isTaken: boolean;
};

/** `none` also stands for a call that hasn't ended. */
type Effect =
  | { readonly kind: 'none' }
  | { readonly kind: 'happened'; readonly call: number; readonly value: unknown }
  | { readonly kind: 'may-have-happened'; readonly call: number };

/** Work whose calls are undone together. */
export class Saga {
  readonly registrations: Registration[] = [];
  /** Sagas inside of this one, until each has ended. */
  readonly nested: Promise<unknown>[] = [];
  /** Once it is being undone, nothing that would have to be undone may start in it. */
  isClosed = false;

  constructor(readonly outer: Saga | undefined) {}

  /** This saga and those around it, which undo what it keeps. */
  private *chain(): Generator<Saga> {
    yield this;
    if (this.outer !== undefined) yield* this.outer.chain();
  }

  get refusesCalls(): boolean {
    return [...this.chain()].some(({ isClosed }) => isClosed);
  }

  register(registration: Registration): void {
    for (const saga of this.chain()) saga.registrations.push(registration);
  }
}

const current = new AsyncLocalStorage<Saga>();

/** Returns the saga in which the caller runs. */
export function currentSaga(): Saga | undefined {
  return current.getStore();
}

/** Does work inside a saga. */
export function inSaga<T>(saga: Saga, work: () => Promise<T>): Promise<T> {
  return current.run(saga, work);
}

/** Makes a call that its saga will undo where that becomes necessary. */
export function registered<T>(
  saga: Saga,
  compensation: AnyCompensation,
  made: {
    readonly toolCall: ToolCall;
    readonly make: (call: ToolCall) => Promise<Outcome<T>>;
  },
): Promise<Outcome<T>> {
  const { make } = made;
  // The call's own object may change before it is undone.
  const toolCall = { ...made.toolCall, input: jsonCopy(made.toolCall.input) };
  let tell: (ended: unknown) => void = () => {};
  const registration: Registration = {
    toolCall,
    compensation,
    ended: new Promise((resolve) => {
      tell = resolve;
    }),
    effect: { kind: 'none' },
    isTaken: false,
  };
  saga.register(registration);
  let isTold = false;
  const onCut = (end: BookedEnd): void => {
    isTold = true;
    registration.effect = effectOfCut(end);
  };
  const ended = make({ ...made.toolCall, onCut }).then(
    (outcome) => {
      registration.effect = effectOf(outcome);
      return outcome;
    },
    (error: unknown) => {
      // In mode `off` there is no gate that would tell.
      const isOpen = !isTold && error instanceof ActivityFailure && toolCall.tool.effect !== 'read';
      if (isOpen) registration.effect = { kind: 'may-have-happened', call: 0 };
      throw error;
    },
  );
  void ended.then(tell, tell); // only tells that it is over: the caller gets the outcome, and the error
  return ended;
}

function effectOf(outcome: Outcome<unknown>): Effect {
  const { call } = outcome.report;
  if (outcome.kind === 'ok') return { kind: 'happened', call, value: outcome.value };
  const mayHaveHappened = outcome.kind === 'unknown' || outcome.report.effectMayHaveHappened;
  return mayHaveHappened ? { kind: 'may-have-happened', call } : { kind: 'none' };
}

/** A call cancelled in flight may have happened, unless it is known that no attempt of it could. */
function effectOfCut({ call, line, sums }: BookedEnd): Effect {
  if (call.tool.effect === 'read') return { kind: 'none' };
  const mayHaveHappened = line.kind === 'unknown' || sums.ambiguous || !line.attemptsKnown;
  return mayHaveHappened ? { kind: 'may-have-happened', call: line.call } : { kind: 'none' };
}
