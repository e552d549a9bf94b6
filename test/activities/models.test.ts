import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { providers, question, withModel } from './models-rig.js';

const tools = [
  {
    name: 'look_up_order',
    description: 'Find an order',
    inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  },
];

for (const provider of providers) {
  for (const stream of [false, true]) {
    const config = { provider, stream };
    describe(`a model of ${provider}, ${stream ? 'streamed' : 'in one piece'}`, () => {
      it('answers with text and usage, by one request that carries the headers of its attempt', async () => {
        await withModel(
          [{ text: 'On its way.' }],
          async ({ ask, server }) => {
            const { answer, envelope } = await ask();
            assert.deepEqual(answer, {
              text: 'On its way.',
              toolCalls: [],
              finishReason: 'stop',
              usage: { inputTokens: 100, cachedInputTokens: 40, outputTokens: 20 },
              model: 'fast',
            });
            assert.equal(envelope.tokens, 120);
            assert.equal(server.requests.length, 1);
            assert.equal(server.requests[0]?.headers['holdfast-attempt'], '1');
            assert.equal(server.requests[0]?.headers['holdfast-retries-left'], '2');
          },
          { config },
        );
      });

      it('asks for a tool by its contract', async () => {
        const call = { id: 'call-1', name: 'look_up_order', arguments: '{"id":"A1"}' };
        await withModel(
          [{ toolCalls: [call] }],
          async ({ ask, server }) => {
            const { answer } = await ask({ tools });
            assert.equal(answer.finishReason, 'tool-calls');
            const [asked] = answer.toolCalls;
            assert.deepEqual([asked?.name, asked?.input], ['look_up_order', { id: 'A1' }]);
            assert.match(JSON.stringify(server.requests[0]?.body), /Find an order/);
          },
          { config },
        );
      });

      it('reads the results of tools that were called before', async () => {
        await withModel(
          [{ text: 'It arrives today.' }],
          async ({ ask, server }) => {
            const messages = [
              ...(question.messages ?? []),
              {
                role: 'assistant' as const,
                content: '',
                toolCalls: [{ id: 'call-1', name: 'look_up_order', input: { id: 'A1' } }],
              },
              {
                role: 'tool' as const,
                toolCallId: 'call-1',
                toolName: 'look_up_order',
                output: { state: 'in the van' },
              },
            ];
            assert.equal((await ask({ messages, tools })).answer.text, 'It arrives today.');
            assert.match(JSON.stringify(server.requests[0]?.body), /in the van/);
          },
          { config },
        );
      });

      it('is withheld by its provider: no retry, but a fallback', async () => {
        await withModel(
          [{ text: 'Well', finish: 'filter' }],
          async ({ fail }) => {
            const told = await fail();
            assert.equal(told.class, 'content-filter');
            assert.equal(told.retryable, false);
            assert.equal(told.fallback, true);
            assert.equal(told.sums.tokensWasted, 120);
          },
          { config },
        );
      });

      it('is sent once an attempt, whatever its server answers', async () => {
        await withModel(
          [{ status: 503, body: { error: { message: 'down' } } }],
          async ({ fail, server }) => {
            for (const failed of ['', 'f', 'ff']) {
              const before = { failed, tokensWasted: 0, ambiguous: false };
              const { sums } = await fail({}, { header: { before } });
              assert.equal(sums.failed, `${failed}f`);
            }
            assert.equal(server.requests.length, 3);
          },
          { config },
        );
      });
    });
  }
}
