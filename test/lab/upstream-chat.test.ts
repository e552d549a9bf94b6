import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type RunningUpstream, withUpstream } from './upstream-fixture.js';

const messages = [
  { role: 'system', content: 'task: classify' },
  { role: 'user', content: 'Please refund ORD-1042, the keyboard is broken.' },
];

type Completion = {
  readonly object: string;
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
};

describe('the chat route of the lab upstream', () => {
  it('answers in the form of OpenAI and counts the tokens', async () => {
    await withUpstream({}, async (upstream) => {
      const completion = await complete(upstream, messages);
      assert.equal(completion.object, 'chat.completion');
      assert.deepEqual(JSON.parse(completion.choices[0]?.message.content ?? ''), {
        intent: 'refund',
        language: 'en',
        urgency: 'normal',
        orderId: 'ORD-1042',
      });
      const { promptTokens, completionTokens } = upstream.stats().routes.chat;
      assert.equal(completion.usage.prompt_tokens, promptTokens);
      assert.equal(completion.usage.completion_tokens, completionTokens);
      assert.ok(promptTokens > 10 && completionTokens > 10);
    });
  });

  it('streams the same text in chunks and ends with the usage and [DONE]', async () => {
    await withUpstream({}, async (upstream) => {
      const whole = await complete(upstream, messages);
      const answer = await upstream.post('/v1/chat/completions', {
        model: 'lab',
        messages,
        stream: true,
        stream_options: { include_usage: true },
      });
      assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/u);
      const lines = (await answer.text()).split('\n\n').filter((line) => line !== '');
      assert.equal(lines.at(-1), 'data: [DONE]');
      const chunks = lines.slice(0, -1).map((line) => JSON.parse(line.slice('data: '.length)));
      const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
      assert.equal(text, whole.choices[0]?.message.content);
      assert.deepEqual(chunks.at(-1).usage, whole.usage);
    });
  });

  it('reads content in parts', async () => {
    await withUpstream({}, async (upstream) => {
      const inParts = messages.map(({ role, content }) => ({
        role,
        content: [{ type: 'text', text: content }],
      }));
      const one = await complete(upstream, messages);
      assert.deepEqual((await complete(upstream, inParts)).choices, one.choices);
    });
  });

  it('refuses a body that has another form, and a prompt longer than its context', async () => {
    await withUpstream({}, async (upstream) => {
      const long = [{ role: 'user', content: 'word '.repeat(120_000) }];
      const rows = [
        { body: { model: 'lab', messages: [] }, says: /messages: /u },
        { body: { messages }, says: /model: /u },
        { body: { model: 'lab', messages: long }, says: /context_length_exceeded/u },
      ];
      for (const { body, says } of rows) {
        const answer = await upstream.post('/v1/chat/completions', body);
        assert.equal(answer.status, 400);
        assert.match(await answer.text(), says);
      }
    });
  });

  it('counts the tokens of an answer that gets lost after it was made', async () => {
    const faults = { chat: { faults: [{ kind: 'status', status: 502, at: 'after-effect' }] } };
    await withUpstream({}, async (upstream) => {
      await upstream.post('/faults', faults);
      await upstream.post('/v1/chat/completions', { model: 'lab', messages });
      assert.ok(upstream.stats().totals.completionTokens > 0);
    });
  });
});

async function complete(upstream: RunningUpstream, sent: unknown): Promise<Completion> {
  const answer = await upstream.post('/v1/chat/completions', { model: 'lab', messages: sent });
  assert.equal(answer.status, 200);
  // The assertions of the tests read the fields and fail where one is missing.
  return (await answer.json()) as Completion;
}
