import { describeFaults } from '../budget/errors.js';
import { freeRetries, reserve, settle } from '../budget/retry-pool.js';
import type { LoopEffect } from '../contract/loop.js';
import type { ModelToolCall } from '../contract/model.js';
import { hasValue, type Outcome, type Unanswered } from '../contract/outcome.js';
import { storedResult } from '../contract/stored-result.js';
import { zodFaults } from '../contract/task-check.js';
import type { AnyTool } from '../contract/tool.js';
import { stateOf } from './call-plan.js';
import { callTool, keyOf } from './call-tool.js';
import type { Loop } from './loop.js';
import { messageItem } from './loop-model.js';
import type { CallEnd } from './loop-state.js';
import { currentSaga } from './saga.js';

/** Bytes up to which the arguments of a call with an effect are remembered for the result of the loop. */
const LONGEST_INPUT = 1_000;
const LONGEST_MESSAGE = 300;

/** Makes the calls that the model asks for, at once; equal ones are one. Throws only when it is cancelled. */
export function answerCalls(loop: Loop, calls: readonly ModelToolCall[]): Promise<CallEnd[]> {
  const { maxCallsPerTurn } = loop.limits;
  const running = new Map<string, Promise<CallEnd>>();
  return Promise.all(
    calls.map((call, index) =>
      index < maxCallsPerTurn
        ? answerCall(loop, call, running)
        : bad(call, `Ask for at most ${maxCallsPerTurn} calls at once.`),
    ),
  );
}

/** A bad call goes back to the model as its result: it is no failure of anything. */
function answerCall(
  loop: Loop,
  call: ModelToolCall,
  running: Map<string, Promise<CallEnd>>,
): Promise<CallEnd> {
  const tool = loop.options.tools.find(({ name }) => name === call.name);
  const names = loop.options.tools.map(({ name }) => name).join(', ');
  if (tool === undefined) {
    return bad(call, `There is no tool ${call.name}. There are: ${names}.`);
  }
  if (loop.state.withdrawn.includes(tool.name)) {
    return bad(call, `${tool.name} can't be used any more: it gave no answer again and again.`);
  }
  if (call.invalid !== undefined) {
    return bad(call, `The arguments of ${tool.name} are no JSON: ${call.invalid}`);
  }
  const faults = inputFaults(tool, call.input);
  if (faults !== undefined) return bad(call, faults);
  const key = keyIn(tool, call.input);
  const earlier = key === undefined ? undefined : running.get(key);
  if (earlier !== undefined) return earlier.then((end) => sameAs(end, call));
  const answering = knownOrMade(loop, { call, tool, key });
  if (key !== undefined) running.set(key, answering);
  return answering;
}

type CheckedCall = {
  readonly call: ModelToolCall;
  readonly tool: AnyTool;
  readonly key: string | undefined;
};

/** A call that was answered before has its answer, unless the tool's answers grow old: then it is a retry. */
async function knownOrMade(loop: Loop, checked: CheckedCall): Promise<CallEnd> {
  const { call, tool, key } = checked;
  const hash = key === undefined ? undefined : loop.state.answered[key];
  if (hash === undefined) return make(loop, checked);
  if (!(tool.fresh && tool.effect === 'read')) {
    return { ...ended(call, 'repeated'), item: resultItem(call, hash, true) };
  }
  const { run } = loop;
  const state = stateOf(run);
  if (state.mode === 'on' && freeRetries(state.pool) === 0) {
    const value = { kind: 'rejected', reason: 'retry-budget', retryAfterMs: null };
    return { ...ended(call, 'repeated'), item: valueItem(call, { error: value }) };
  }
  const pool = settle(reserve(state.pool, 1), 1, 1);
  run.state = { ...state, pool, retries: state.retries + 1 };
  return make(loop, checked);
}

async function make(loop: Loop, { call, tool, key }: CheckedCall): Promise<CallEnd> {
  const { run, state } = loop;
  // What undoes a call is made of its value, which then has to be in the history.
  const isUndone = currentSaga() !== undefined && tool.compensate !== undefined;
  const outcome = await callTool<unknown>(run, {
    tool,
    input: call.input,
    byReference: !isUndone,
    reserveMs: state.lastAnswerMs,
  });
  const used = outcome.report.tokens.useful + outcome.report.tokens.wasted;
  loop.state = { ...loop.state, tokens: loop.state.tokens + used };
  const effect = tool.effect === 'read' ? undefined : effectOf(tool, call, outcome);
  return { ...endOf(loop, call, outcome, key), effect };
}

function endOf(
  loop: Loop,
  call: ModelToolCall,
  outcome: Outcome<unknown>,
  key: string | undefined,
): CallEnd {
  if (!hasValue(outcome)) {
    const isOver = outcome.kind === 'rejected' || outcome.kind === 'exhausted';
    // What may have happened stays in the conversation: the model has to speak of it.
    const kind = isOver && !outcome.report.effectMayHaveHappened ? outcome.kind : 'ended';
    return { ...ended(call, kind), item: valueItem(call, toldFailure(loop, outcome)) };
  }
  const stored = storedResult(outcome.value);
  const item =
    stored === undefined
      ? valueItem(call, outcome.value ?? null)
      : resultItem(call, stored.hash, false);
  if (outcome.kind === 'degraded') {
    const { from, to, reason } = outcome;
    return { ...ended(call, 'answered'), item, fallback: { from, to, reason } };
  }
  const isKnown = stored !== undefined && key !== undefined;
  const result = isKnown ? { key, hash: stored.hash } : undefined;
  return { ...ended(call, 'answered'), item, result };
}

/** What the model is told of a call without an answer: a value that it can plan by. */
function toldFailure(loop: Loop, { kind, report }: Unanswered): unknown {
  const { reason, attempts, effectMayHaveHappened, retryAfterMs } = report;
  const offered = loop.options.tools.map(({ name }) => name);
  const alternatives = report.alternatives.filter((name) => offered.includes(name));
  // What a tool says of this very call is part of its answer; what broke on the way is nobody's concern.
  const speaks = kind === 'failed' || kind === 'denied';
  const said = speaks ? report.message : report.disabled?.message;
  const message = said === undefined ? {} : { message: said.slice(0, LONGEST_MESSAGE) };
  return {
    error: {
      kind,
      class: report.class,
      reason,
      attempts,
      effectMayHaveHappened,
      alternatives,
      retryAfterMs,
      ...message,
    },
  };
}

function effectOf(tool: AnyTool, call: ModelToolCall, outcome: Outcome<unknown>): LoopEffect {
  const { input } = call;
  const isShort = (JSON.stringify(input) ?? '').length <= LONGEST_INPUT;
  const isUncertain = outcome.kind !== 'ok' && outcome.report.effectMayHaveHappened;
  return {
    tool: tool.name,
    kind: outcome.kind,
    ...(isUncertain ? { mayHaveHappened: true } : {}),
    ...(isShort ? { input } : {}),
  };
}

function inputFaults(tool: AnyTool, input: unknown): string | undefined {
  try {
    const parsed = tool.input.safeParse(input, { jitless: true });
    if (parsed.success) return undefined;
    return describeFaults(zodFaults(parsed.error, input, tool.name));
  } catch (error) {
    return error instanceof Error ? error.message : String(error); // a check of the schema's own that throws
  }
}

function keyIn(tool: AnyTool, input: unknown): string | undefined {
  try {
    return keyOf({ tool, input });
  } catch {
    return undefined; // the call itself says what is wrong with its identity
  }
}

/** A call that equals another one of the same answer. */
function sameAs(end: CallEnd, call: ModelToolCall): CallEnd {
  const { item } = end;
  const same =
    item.kind === 'result'
      ? resultItem(call, item.hash, true)
      : item.message.role === 'tool'
        ? valueItem(call, item.message.output)
        : item;
  return { ...ended(call, end.kind === 'answered' ? 'repeated' : end.kind), item: same };
}

function bad(call: ModelToolCall, message: string): Promise<CallEnd> {
  const error = { kind: 'bad-call', message };
  return Promise.resolve({ ...ended(call, 'bad'), item: valueItem(call, { error }) });
}

function ended<Kind extends CallEnd['kind']>(
  { id, name }: ModelToolCall,
  kind: Kind,
): { readonly callId: string; readonly tool: string; readonly kind: Kind } {
  return { callId: id, tool: name, kind };
}

function resultItem({ id, name }: ModelToolCall, hash: string, repeated: boolean): CallEnd['item'] {
  const known = repeated ? ({ repeated: true } as const) : {};
  return { kind: 'result', toolCallId: id, toolName: name, hash, ...known };
}

function valueItem({ id, name }: ModelToolCall, output: unknown): CallEnd['item'] {
  return messageItem({ role: 'tool' as const, toolCallId: id, toolName: name, output });
}
