import type { ConversationItem } from '../contract/conversation.js';
import type { LoopEffect, LoopFallback } from '../contract/loop.js';

/** What a loop has to know to go on: plain JSON, carried over continue-as-new among the arguments. */
export type LoopState = {
  readonly v: 1;
  /** Where the conversation stands in the store; null before the first answer. */
  readonly head: string | null;
  /** What the next turn puts at its end. */
  readonly append: readonly ConversationItem[];
  /** Calls that leave it with the next turn. */
  readonly dropped: readonly string[];
  /** Hash of the tools that the store was sent last. */
  readonly toolsSent: string | null;
  readonly turns: number;
  /** Answers in a row of which all calls were rejected. */
  readonly rejectedTurns: number;
  readonly tokens: number;
  /** Millionths of a currency unit, as far as prices are known. */
  readonly cost: number;
  /** True once a model without a known price has answered. */
  readonly isUnpriced: boolean;
  /** What the last answer used: what the next one is expected to. */
  readonly lastTokens: number;
  readonly lastCost: number;
  /** Results of calls by the key of the call, so that an equal one is answered from before. */
  readonly answered: Readonly<Record<string, string>>;
  /** The one entry in the conversation of each tool that is exhausted, by the id of its call. */
  readonly exhausted: Readonly<Record<string, string>>;
  /** Turns in a row in which a tool got no answer. */
  readonly failedTurns: Readonly<Record<string, number>>;
  /** Tools that are offered no more. */
  readonly withdrawn: readonly string[];
  readonly effects: readonly LoopEffect[];
  readonly fallbacks: readonly LoopFallback[];
  /** Retries that are held back for the last answer. */
  readonly reserved: number;
  /** Milliseconds before the deadline that are kept for it. */
  readonly lastAnswerMs: number;
};

const RESULTS_KEPT = 200;
const EFFECTS_KEPT = 100;
const FALLBACKS_KEPT = 20;
/** Turns in a row without an answer after which a tool is offered no more. */
const FAILED_TURNS = 5;

/** Returns the state of a loop that has done nothing. */
export function initialLoop(started: {
  readonly append: readonly ConversationItem[];
  readonly reserved: number;
  readonly lastAnswerMs: number;
}): LoopState {
  return {
    v: 1,
    head: null,
    dropped: [],
    toolsSent: null,
    turns: 0,
    rejectedTurns: 0,
    tokens: 0,
    cost: 0,
    isUnpriced: false,
    lastTokens: 0,
    lastCost: 0,
    answered: {},
    exhausted: {},
    failedTurns: {},
    withdrawn: [],
    effects: [],
    fallbacks: [],
    ...started,
  };
}

/** How one call of a turn ended, as far as the loop goes on by it. */
export type CallEnd = {
  readonly callId: string;
  readonly tool: string;
  readonly item: ConversationItem;
  /**
   * `answered`; `repeated`: an equal call was answered before; `rejected`: nothing was scheduled; `exhausted`: no
   * attempt helped; `bad`: the call itself was wrong; `ended`: any other end that is this call's own.
   */
  readonly kind: 'answered' | 'repeated' | 'rejected' | 'exhausted' | 'bad' | 'ended';
  /** The call's key and the hash of its result, where an equal one can be answered by it. */
  readonly result?: { readonly key: string; readonly hash: string } | undefined;
  readonly effect?: LoopEffect | undefined;
  readonly fallback?: LoopFallback | undefined;
};

/** Books the calls of one answer of the model. */
export function afterCalls(state: LoopState, ends: readonly CallEnd[]): LoopState {
  const isFree = ends.every(({ kind }) => kind === 'rejected');
  const exhausted = exhaustedAfter(state, ends);
  const failedTurns = failedTurnsAfter(state, ends);
  const results = ends.flatMap(({ result }) =>
    result === undefined ? [] : [[result.key, result.hash] as const],
  );
  const answered = [...Object.entries(state.answered), ...results].slice(-RESULTS_KEPT);
  return {
    ...state,
    append: ends
      .filter(({ callId }) => !exhausted.dropped.includes(callId))
      .map(({ item }) => item),
    dropped: exhausted.dropped,
    exhausted: exhausted.entries,
    turns: isFree ? state.turns - 1 : state.turns,
    rejectedTurns: isFree ? state.rejectedTurns + 1 : 0,
    failedTurns,
    withdrawn: Object.keys(failedTurns).filter((tool) => (failedTurns[tool] ?? 0) >= FAILED_TURNS),
    answered: Object.fromEntries(answered),
    effects: ends.reduce((kept, { effect }) => withEffect(kept, effect), state.effects),
    fallbacks: ends.reduce((kept, { fallback }) => withFallback(kept, fallback), state.fallbacks),
  };
}

/** An exhausted tool has one entry in the conversation: a later one, or an answer, takes its place. */
function exhaustedAfter(
  { exhausted }: LoopState,
  ends: readonly CallEnd[],
): { readonly entries: Readonly<Record<string, string>>; readonly dropped: readonly string[] } {
  const entries = new Map(Object.entries(exhausted));
  const dropped: string[] = [];
  for (const { tool, callId, kind } of ends) {
    if (kind === 'bad' || kind === 'ended') continue;
    const earlier = entries.get(tool);
    if (earlier !== undefined) dropped.push(earlier);
    if (kind === 'rejected' || kind === 'exhausted') entries.set(tool, callId);
    else entries.delete(tool);
  }
  return { entries: Object.fromEntries(entries), dropped };
}

function failedTurnsAfter(
  { failedTurns }: LoopState,
  ends: readonly CallEnd[],
): Readonly<Record<string, number>> {
  const counts = new Map(Object.entries(failedTurns));
  for (const tool of new Set(ends.map((end) => end.tool))) {
    const kinds = ends.filter((end) => end.tool === tool).map(({ kind }) => kind);
    const isOver = (counts.get(tool) ?? 0) >= FAILED_TURNS;
    if (isOver) continue;
    if (kinds.every((kind) => kind === 'rejected' || kind === 'exhausted')) {
      counts.set(tool, (counts.get(tool) ?? 0) + 1);
    } else if (kinds.some((kind) => kind === 'answered' || kind === 'ended')) counts.delete(tool);
  }
  return Object.fromEntries(counts);
}

/** An effect that is tried again ends anew: what was said of it before no longer holds. */
function withEffect(
  effects: readonly LoopEffect[],
  added: LoopEffect | undefined,
): readonly LoopEffect[] {
  if (added === undefined) return effects;
  const others = effects.filter(({ key }) => key === undefined || key !== added.key);
  return [...others, added].slice(-EFFECTS_KEPT);
}

/** Adds a fallback that isn't listed yet. */
export function withFallback(
  fallbacks: readonly LoopFallback[],
  added: LoopFallback | undefined,
): readonly LoopFallback[] {
  if (added === undefined) return fallbacks;
  const isKnown = fallbacks.some(
    ({ from, to, reason }) => from === added.from && to === added.to && reason === added.reason,
  );
  return isKnown ? fallbacks : [...fallbacks, added].slice(-FALLBACKS_KEPT);
}
