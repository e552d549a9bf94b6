import { type ConversationEnd, conversationEndSchema } from '../contract/conversation.js';
import { callName } from '../contract/governed-tool.js';
import type { LoopLimit } from '../contract/loop.js';
import type { ModelInput, ModelOutput } from '../contract/model.js';
import { hasValue, type Outcome, type Unanswered } from '../contract/outcome.js';
import { callTool } from './call-tool.js';
import type { Loop } from './loop.js';
import { withFallback } from './loop-state.js';
import { lastAnswerNote } from './loop-text.js';

/** What a model answered: in its conversation, in place of one, or not at all. */
export type Answer =
  | { readonly kind: 'said'; readonly output: ModelOutput; readonly tokens: number }
  | { readonly kind: 'stand-in'; readonly text: string; readonly outcome: Standing }
  | { readonly kind: 'none'; readonly outcome: Unanswered };

type Standing = Extract<Outcome<ModelOutput>, { kind: 'ok' | 'degraded' }>;

/** The step by which reports name the call for which a loop keeps a reserve. */
const LAST_ANSWER = 'last-answer';

/** Asks the model what comes next; for the last answer it is told why, and may call nothing. */
export async function askModel(loop: Loop, last?: LoopLimit): Promise<Answer> {
  const answer = await askOnce(loop, last);
  if (answer.kind !== 'said' || conversationOf(answer.output)?.kind !== 'tools-lost') return answer;
  loop.state = { ...loop.state, toolsSent: null };
  return askOnce(loop, last);
}

async function askOnce(loop: Loop, last: LoopLimit | undefined): Promise<Answer> {
  const { run, options, state } = loop;
  const outcome = await callTool<ModelOutput>(run, {
    tool: options.model,
    input: turnInput(loop, last),
    ...(last === undefined ? { reserveMs: state.lastAnswerMs } : { step: LAST_ANSWER }),
  });
  book(loop, outcome);
  if (!hasValue(outcome)) return { kind: 'none', outcome };
  const output = outcome.value;
  const end = conversationOf(output);
  if (end === undefined) return { kind: 'stand-in', text: output.text, outcome };
  if (end.kind === 'at') {
    const { turns } = loop.state;
    const toolsSent = offered(loop, last).hash;
    loop.state = {
      ...loop.state,
      head: end.head,
      append: [],
      dropped: [],
      toolsSent,
      turns: turns + 1,
    };
  }
  return { kind: 'said', output, tokens: outcome.report.tokens.useful };
}

function turnInput(loop: Loop, last: LoopLimit | undefined): ModelInput {
  const { options, state } = loop;
  const { maxOutputTokens, temperature } = options;
  const { tools, hash } = offered(loop, last);
  const note = { role: 'user' as const, content: last === undefined ? '' : lastAnswerNote(last) };
  const conversation = {
    head: state.head,
    append: [...state.append, ...(last === undefined ? [] : [messageItem(note)])],
    ...(state.dropped.length === 0 ? {} : { dropped: [...state.dropped] }),
    ...(tools.length === 0 ? {} : { tools: hash }),
  };
  return {
    conversation,
    ...(tools.length === 0 || state.toolsSent === hash ? {} : { tools: [...tools] }),
    ...(tools.length === 0 ? {} : { toolChoice: last === undefined ? 'auto' : 'none' }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
  };
}

/** Providers refuse a conversation with calls in it where no tools come along, so that the last answer has all. */
function offered({ offer, state }: Loop, last: LoopLimit | undefined): ReturnType<Loop['offer']> {
  return offer(last === 'tools-withdrawn' ? [] : state.withdrawn);
}

/** Books what a call of the model used, whatever became of it. */
function book(loop: Loop, outcome: Outcome<ModelOutput>): void {
  const { state } = loop;
  const { report } = outcome;
  const used = report.tokens.useful + report.tokens.wasted;
  const { useful = 0, wasted = 0, unpricedAttempts = 0 } = report.cost ?? {};
  const cost = (useful ?? 0) + (wasted ?? 0);
  const isAnswered = report.tokens.useful > 0;
  loop.state = {
    ...state,
    tokens: state.tokens + used,
    cost: state.cost + cost,
    isUnpriced: state.isUnpriced || unpricedAttempts > 0,
    ...(isAnswered ? { lastTokens: used, lastCost: cost } : {}),
    fallbacks: withFallback(
      state.fallbacks,
      outcome.kind === 'degraded'
        ? { from: outcome.from, to: outcome.to, reason: outcome.reason }
        : undefined,
    ),
  };
}

function conversationOf({ conversation }: ModelOutput): ConversationEnd | undefined {
  return conversationEndSchema.safeParse(conversation, { jitless: true }).data;
}

/** Returns a message as something that is put at the end of a conversation. */
export function messageItem<Message>(message: Message) {
  return { kind: 'message' as const, message };
}

/** Returns the name by which a loop's model is known. */
export function modelName({ options }: Loop): string {
  return callName(options.model);
}
