/** What a model says in one turn, whatever the wire that carries it. */
export type Said = {
  readonly text?: string;
  readonly toolCalls?: readonly {
    readonly id: string;
    readonly name: string;
    /** As text: it may be no JSON. */
    readonly arguments: string;
  }[];
  readonly finish?: 'stop' | 'length' | 'filter';
  /** Null where the provider says nothing of it. */
  readonly usage?: {
    readonly input: number;
    readonly cached: number;
    readonly output: number;
  } | null;
};

/** How a provider carries a turn: as one body, and as server-sent events. */
export type Wire = {
  readonly body: (said: Said) => unknown;
  readonly events: (said: Said) => readonly unknown[];
};

export const defaultUsage = { input: 100, cached: 40, output: 20 };

function usageOf({ usage = defaultUsage }: Said): typeof defaultUsage | null {
  return usage;
}

function chatFinish({ finish, toolCalls = [] }: Said): string {
  if (finish === 'filter') return 'content_filter';
  return finish ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop');
}

function chatUsage(said: Said): object {
  const usage = usageOf(said);
  if (usage === null) return {};
  return {
    usage: {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cached },
    },
  };
}

function chatCalls({ toolCalls = [] }: Said): object[] {
  return toolCalls.map(({ id, name, arguments: text }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: text },
  }));
}

const chat: Wire = {
  body: (said) => ({
    id: 'chat-1',
    object: 'chat.completion',
    created: 1,
    model: 'fake',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: said.text ?? null,
          ...(said.toolCalls === undefined ? {} : { tool_calls: chatCalls(said) }),
        },
        finish_reason: chatFinish(said),
      },
    ],
    ...chatUsage(said),
  }),
  events: (said) => {
    const chunk = (delta: object, finish: string | null = null, more: object = {}): object => ({
      id: 'chat-1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'fake',
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...more,
    });
    return [
      chunk({ role: 'assistant', content: '' }),
      ...(said.text === undefined ? [] : halves(said.text).map((content) => chunk({ content }))),
      ...(said.toolCalls === undefined ? [] : [chunk({ tool_calls: chatCalls(said) })]),
      chunk({}, chatFinish(said)),
      { ...chunk({}), choices: [], ...chatUsage(said) },
    ];
  },
};

function responsesUsage(said: Said): object {
  const usage = usageOf(said);
  if (usage === null) return { usage: null };
  return {
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cached },
      output_tokens: usage.output,
    },
  };
}

function responsesOutput({ text, toolCalls = [] }: Said): object[] {
  const content = [{ type: 'output_text', text, annotations: [] }];
  const message = { type: 'message', role: 'assistant', id: 'msg-1', content };
  const calls = toolCalls.map(({ id, name, arguments: args }) => ({
    type: 'function_call',
    id: `fc-${id}`,
    call_id: id,
    name,
    arguments: args,
    status: 'completed',
  }));
  return text === undefined ? calls : [message, ...calls];
}

const responsesFrame = { id: 'resp-1', object: 'response', created_at: 1, model: 'fake' };

const responses: Wire = {
  body: (said) => ({
    ...responsesFrame,
    output: responsesOutput(said),
    incomplete_details: responsesEnd(said),
    ...responsesUsage(said),
  }),
  events: (said) => [
    { type: 'response.created', response: responsesFrame },
    ...responsesOutput(said).map((item, output_index) => ({
      type: 'response.output_item.added',
      output_index,
      item: { ...item, content: [], arguments: '' },
    })),
    ...(said.text === undefined ? [] : halves(said.text)).map((delta) => ({
      type: 'response.output_text.delta',
      item_id: 'msg-1',
      output_index: 0,
      content_index: 0,
      delta,
    })),
    ...responsesOutput(said).map((item, output_index) => ({
      type: 'response.output_item.done',
      output_index,
      item,
    })),
    {
      type: 'response.completed',
      response: {
        ...responsesFrame,
        incomplete_details: responsesEnd(said),
        ...responsesUsage(said),
      },
    },
  ],
};

function responsesEnd({ finish }: Said): object | null {
  if (finish === 'filter') return { reason: 'content_filter' };
  return finish === 'length' ? { reason: 'max_output_tokens' } : null;
}

function messagesEnd({ finish, toolCalls = [] }: Said): string {
  if (finish === 'filter') return 'refusal';
  if (finish === 'length') return 'max_tokens';
  return toolCalls.length > 0 ? 'tool_use' : 'end_turn';
}

/** This provider's input tokens leave those of the cache out. */
function messagesUsage(said: Said): {
  readonly input_tokens: number;
  readonly output_tokens: number;
} {
  const usage = usageOf(said) ?? { input: 0, cached: 0, output: 0 };
  return {
    input_tokens: usage.input - usage.cached,
    ...(usage.cached === 0 ? {} : { cache_read_input_tokens: usage.cached }),
    output_tokens: usage.output,
  };
}

const messagesFrame = { type: 'message', id: 'msg-1', role: 'assistant', model: 'fake' };

const messages: Wire = {
  body: (said) => ({
    ...messagesFrame,
    content: [
      ...(said.text === undefined ? [] : [{ type: 'text', text: said.text }]),
      ...(said.toolCalls ?? []).map(({ id, name, arguments: text }) => ({
        type: 'tool_use',
        id,
        name,
        input: JSON.parse(text),
      })),
    ],
    stop_reason: messagesEnd(said),
    stop_sequence: null,
    usage: messagesUsage(said),
  }),
  events: (said) => [
    {
      type: 'message_start',
      message: {
        ...messagesFrame,
        content: [],
        usage: { ...messagesUsage(said), output_tokens: 1 },
      },
    },
    ...(said.text === undefined
      ? []
      : [
          { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
          ...halves(said.text).map((text) => ({
            type: 'content_block_delta',
            index: 0,
            delta: { type: 'text_delta', text },
          })),
          { type: 'content_block_stop', index: 0 },
        ]),
    ...(said.toolCalls ?? []).flatMap(({ id, name, arguments: text }, call) => [
      {
        type: 'content_block_start',
        index: call + 1,
        content_block: { type: 'tool_use', id, name, input: {} },
      },
      {
        type: 'content_block_delta',
        index: call + 1,
        delta: { type: 'input_json_delta', partial_json: text },
      },
      { type: 'content_block_stop', index: call + 1 },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: messagesEnd(said), stop_sequence: null },
      usage: messagesUsage(said),
    },
    { type: 'message_stop' },
  ],
};

const googleEnds = { stop: 'STOP', length: 'MAX_TOKENS', filter: 'SAFETY' } as const;

function googleUsage(said: Said): object {
  const usage = usageOf(said);
  if (usage === null) return {};
  return {
    usageMetadata: {
      promptTokenCount: usage.input,
      cachedContentTokenCount: usage.cached,
      candidatesTokenCount: usage.output,
      totalTokenCount: usage.input + usage.output,
    },
  };
}

function googleChunk(parts: readonly object[], finishReason?: string): object {
  return {
    candidates: [{ content: { role: 'model', parts }, ...(finishReason ? { finishReason } : {}) }],
  };
}

function googleCalls({ toolCalls = [] }: Said): object[] {
  return toolCalls.map(({ name, arguments: text }) => ({
    functionCall: { name, args: JSON.parse(text) },
  }));
}

const google: Wire = {
  body: (said) => ({
    ...googleChunk(
      [...(said.text === undefined ? [] : [{ text: said.text }]), ...googleCalls(said)],
      googleEnds[said.finish ?? 'stop'],
    ),
    ...googleUsage(said),
  }),
  events: (said) => [
    ...(said.text === undefined ? [] : halves(said.text)).map((text) => googleChunk([{ text }])),
    { ...googleChunk(googleCalls(said), googleEnds[said.finish ?? 'stop']), ...googleUsage(said) },
  ],
};

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== '');
}

/** Returns the wire that a path speaks. */
export function wireOf(path: string): Wire {
  if (path.endsWith('/chat/completions')) return chat;
  if (path.endsWith('/responses')) return responses;
  if (path.endsWith('/messages')) return messages;
  return google;
}
