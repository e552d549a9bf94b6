import { sleep } from '@temporalio/workflow';
import { backoffDelay } from '../budget/backoff.js';
import { freeRetries, reserve, settle } from '../budget/retry-pool.js';
import { callName } from '../contract/governed-tool.js';
import type { LoopFacts, LoopLimit, LoopResult, LoopTask, NoAnswer } from '../contract/loop.js';
import type { ModelOutput } from '../contract/model.js';
import type { Planned } from '../contract/run-state.js';
import { stateOf } from './call-plan.js';
import { answerCalls } from './loop-calls.js';
import { isSpent, reachedLimit } from './loop-limits.js';
import { type Answer, askModel, messageItem, modelName } from './loop-model.js';
import { type LoopOptions, type ResolvedLimits, resolvedLimits } from './loop-options.js';
import { afterCalls, initialLoop, type LoopState } from './loop-state.js';
import { standInText } from './loop-text.js';
import { createOffer } from './loop-tools.js';
import type { RunContext } from './run-context.js';
import { reportOf, taskTimeLeftMs } from './run-state.js';

/** A loop while it runs. */
export type Loop = {
  readonly run: RunContext;
  readonly options: LoopOptions;
  readonly limits: ResolvedLimits;
  readonly offer: ReturnType<typeof createOffer>;
  state: LoopState;
};

/** How a loop ended, or that it has to go on in another run. */
export type LoopEnd =
  | { readonly kind: 'ended'; readonly result: LoopResult }
  | { readonly kind: 'suspended'; readonly state: LoopState };

/** The floor of a loop whose calls are all rejected: nothing else slows it down. */
const floor = { baseMs: 1_000, capMs: 30_000, jitter: 'full' } as const;
const SHARE_OF_TIME = 5;

/** Makes the loop of a run: from its task, or from where an earlier run left it. */
export function createLoop(
  run: RunContext,
  options: LoopOptions,
  from: { readonly task: LoopTask } | { readonly carried: LoopState },
): Loop {
  const limits = resolvedLimits(options);
  const offer = createOffer(options.tools);
  if ('carried' in from) return { run, options, limits, offer, state: from.carried };
  const state = stateOf(run);
  // The last answer's retry is held back from everything else, where it isn't the only one.
  const reserved = freeRetries(state.pool) > 1 ? 1 : 0;
  run.state = {
    ...state,
    pool: reserve(state.pool, reserved),
    planned: [...withoutLoop(options, state.planned), ...openPlan(options)],
  };
  const timeLeftMs = taskTimeLeftMs(state, Date.now());
  const lastAnswerMs = Math.min(limits.lastAnswerMs, timeLeftMs / SHARE_OF_TIME);
  const append = openingOf(options, from.task).map(messageItem);
  return { run, options, limits, offer, state: initialLoop({ append, reserved, lastAnswerMs }) };
}

/**
 * What a loop is always expected to do: one more turn, one more call. Nobody knows which tools the model will call,
 * so none of them has a place of its own in the plan, and each call may take half of what is free.
 */
function openPlan({ model, tools }: LoopOptions): readonly Planned[] {
  const [first] = tools;
  const turn = { id: 'loop-turn', tool: callName(model), required: false };
  return first === undefined ? [turn] : [turn, { ...turn, id: 'loop-call', tool: first.name }];
}

function withoutLoop({ model, tools }: LoopOptions, planned: readonly Planned[]): Planned[] {
  const names = new Set([...tools, model].map(callName));
  return planned.filter(({ tool }) => !names.has(tool));
}

function openingOf({ system }: LoopOptions, { prompt, messages = [] }: LoopTask) {
  return [
    ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
    ...(prompt === undefined ? [] : [{ role: 'user' as const, content: prompt }]),
    ...messages,
  ];
}

/**
 * Lets the model choose the next calls until it is done, or a limit asks for its last answer. `mustSuspend` is asked
 * between turns. Throws only when the workflow is cancelled.
 */
export async function runLoop(loop: Loop, mustSuspend: () => boolean): Promise<LoopEnd> {
  for (;;) {
    const limit = limitOf(loop);
    if (limit !== undefined) return ended(loop, await lastAnswer(loop, limit));
    if (mustSuspend()) return { kind: 'suspended', state: loop.state };
    const answer = await askModel(loop);
    if (answer.kind === 'none' && isLate(loop, answer)) continue;
    if (answer.kind !== 'said') return ended(loop, standIn(loop, answer));
    const { output, tokens } = answer;
    if (output.toolCalls.length === 0) return ended(loop, finished(loop, output));
    const ends = await answerCalls(loop, output.toolCalls);
    loop.state = afterCalls(loop.state, ends);
    if (ends.every(({ kind }) => kind === 'repeated')) waste(loop, tokens);
    if (loop.state.rejectedTurns > 0) await slowDown(loop);
  }
}

type Ending = LoopResult extends infer Result
  ? Result extends LoopFacts
    ? Omit<Result, keyof LoopFacts>
    : never
  : never;

function limitOf({ run, state, limits, options }: Loop): LoopLimit | undefined {
  const timeLeftMs = taskTimeLeftMs(stateOf(run), Date.now());
  const reached = reachedLimit(state, limits, timeLeftMs);
  if (reached !== undefined) return reached;
  const { tools } = options;
  const isBare = tools.length > 0 && tools.every(({ name }) => state.withdrawn.includes(name));
  return isBare ? 'tools-withdrawn' : undefined;
}

/** A turn may not use the time that is kept for the last answer. */
function isLate(loop: Loop, { outcome }: Extract<Answer, { kind: 'none' }>): boolean {
  return outcome.report.reason === 'deadline' && limitOf(loop) === 'deadline';
}

/** Lets the model say how far it came, with what was kept for that. */
async function lastAnswer(loop: Loop, limit: LoopLimit): Promise<Ending> {
  release(loop);
  const timeLeftMs = taskTimeLeftMs(stateOf(loop.run), Date.now());
  if (isSpent(loop.state, loop.limits, timeLeftMs)) return stoodIn(loop, limit);
  const answer = await askModel(loop, limit);
  if (answer.kind === 'stand-in') return standIn(loop, answer);
  const text = answer.kind === 'said' ? answer.output.text : '';
  return text.trim() === '' ? stoodIn(loop, limit) : { kind: 'limited', text, reason: limit };
}

function finished(loop: Loop, { text }: ModelOutput): Ending {
  return text.trim() === '' ? stoodIn(loop, 'empty-answer') : { kind: 'ok', text };
}

/** The model's own fallback answered, or nothing did. */
function standIn(loop: Loop, answer: Exclude<Answer, { kind: 'said' }>): Ending {
  if (answer.kind === 'none') {
    const { disabled, reason } = answer.outcome.report;
    if (disabled === undefined) return stoodIn(loop, reason);
    const { from, to, message } = disabled;
    return { kind: 'degraded', text: message, from, to, reason };
  }
  const { text, outcome } = answer;
  if (outcome.kind === 'ok') return { kind: 'ok', text };
  const { from, to, reason } = outcome;
  return { kind: 'degraded', text, from, to, reason };
}

function stoodIn(loop: Loop, reason: NoAnswer): Ending {
  const text = standInText(loop.options, { reason, effects: loop.state.effects });
  return { kind: 'degraded', text, from: modelName(loop), to: 'text', reason };
}

function ended(loop: Loop, ending: Ending): LoopEnd {
  release(loop);
  const { turns, tokens, isUnpriced, effects, fallbacks } = loop.state;
  const cost = isUnpriced ? null : loop.state.cost;
  const report = reportOf(stateOf(loop.run));
  const result = { ...ending, turns, tokens, cost, effects, fallbacks, report };
  return { kind: 'ended', result };
}

/** Gives the pool back what was held for the last answer, and for turns and calls that don't come any more. */
function release(loop: Loop): void {
  const state = stateOf(loop.run);
  loop.run.state = {
    ...state,
    pool: settle(state.pool, loop.state.reserved, 0),
    planned: withoutLoop(loop.options, state.planned),
  };
  loop.state = { ...loop.state, reserved: 0 };
}

/** Tokens of an answer that only asks the same again helped nobody (spec, Four layers of budget). */
function waste({ run }: Loop, tokens: number): void {
  const state = stateOf(run);
  const { useful, wasted } = state.tokens;
  run.state = { ...state, tokens: { useful: useful - tokens, wasted: wasted + tokens } };
}

async function slowDown({ run, state }: Loop): Promise<void> {
  const retry = state.rejectedTurns - 1;
  const delayMs = floor.baseMs + backoffDelay({ ...floor, retry, random: Math.random });
  const timeLeftMs = taskTimeLeftMs(stateOf(run), Date.now()) - state.lastAnswerMs;
  await sleep(Math.ceil(Math.max(1, Math.min(delayMs, timeLeftMs))));
}
