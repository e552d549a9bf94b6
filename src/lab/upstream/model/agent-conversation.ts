import { isObject, parseObject } from './ticket-message.js';

/** A message of a chat with tools, its content flattened to text. */
export type AgentMessage = {
  readonly role: string;
  readonly content: string;
  /** What an assistant's message asked for. */
  readonly calls: readonly AskedCall[];
  /** The call that a tool's message answers. */
  readonly answers: string | undefined;
};

/** A tool call as it stands on the wire: `arguments` is a text that should be JSON. */
export type AskedCall = { readonly id: string; readonly name: string; readonly arguments: string };

/** A tool call with what came of it. */
export type SeenCall = {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly end: CallEnd;
};

/**
 * `value`: the tool answered. `refused`: it was never run, since the call was wrong; a better one may be made.
 * `failed`: it gave nothing; where `mayHaveHappened` nobody knows whether it had its effect.
 */
export type CallEnd =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'refused' }
  | { readonly kind: 'failed'; readonly mayHaveHappened: boolean };

/** Returns the tool calls of a conversation that were answered, in order of the answers. */
export function readCalls(messages: readonly AgentMessage[]): readonly SeenCall[] {
  const asked = new Map(messages.flatMap(({ calls }) => calls).map((call) => [call.id, call]));
  return messages.flatMap(({ answers, content }) => {
    const call = answers === undefined ? undefined : asked.get(answers);
    if (!call) return [];
    return [
      { name: call.name, input: parseObject(call.arguments) ?? {}, end: readEnd(parse(content)) },
    ];
  });
}

function readEnd(result: unknown): CallEnd {
  if (!isObject(result)) return { kind: 'value', value: result };
  const { error } = result;
  if (isObject(error)) {
    if (error.kind === 'bad-call') return { kind: 'refused' };
    return { kind: 'failed', mayHaveHappened: error.effectMayHaveHappened === true };
  }
  if (result.success === false || typeof error === 'string') {
    return { kind: 'failed', mayHaveHappened: false };
  }
  return { kind: 'value', value: result };
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return content; // a tool may answer with plain text
  }
}
