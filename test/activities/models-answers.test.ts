import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InvalidRequestError } from 'holdfast';
import { implementModels } from 'holdfast/models';
import { faultsOf } from '../contract/faults.js';
import { withModel } from './models-rig.js';

const tools = [
  { name: 'look_up_order', description: 'Find an order', inputSchema: { type: 'object' } },
];
const prices = { fast: { input: 3_000_000, cached: 300_000, output: 15_000_000 } };
const schema = {
  type: 'object',
  properties: { mood: { type: 'string' } },
  required: ['mood'],
  additionalProperties: false,
};

describe('a call that a model asks for', () => {
  for (const stream of [false, true]) {
    it(`goes to the caller as it came where its arguments are no JSON (stream: ${stream})`, async () => {
      const broken = { id: 'call-1', name: 'look_up_order', arguments: '{"id": "A1' };
      await withModel(
        [{ toolCalls: [broken] }],
        async ({ ask }) => {
          const { answer, envelope } = await ask({ tools });
          assert.deepEqual(answer.toolCalls, [
            {
              id: 'call-1',
              name: 'look_up_order',
              input: '{"id": "A1',
              invalid: 'its arguments are no JSON',
            },
          ]);
          assert.equal(envelope.sums, undefined);
        },
        { config: { stream } },
      );
    });
  }

  it('goes to the caller where there is no such tool', async () => {
    const unknown = { id: 'call-1', name: 'fly', arguments: '{"to":"moon"}' };
    await withModel([{ toolCalls: [unknown] }], async ({ ask }) => {
      const { answer } = await ask({ tools });
      assert.deepEqual(answer.toolCalls, [{ id: 'call-1', name: 'fly', input: { to: 'moon' } }]);
    });
  });
});

describe('an answer in JSON', () => {
  it('comes parsed, and its schema is told to the model', async () => {
    await withModel([{ text: '{"mood":"glad"}' }], async ({ ask, server }) => {
      const { answer } = await ask({ responseSchema: schema });
      assert.deepEqual(answer.object, { mood: 'glad' });
      assert.match(JSON.stringify(server.requests[0]?.body.response_format), /"mood"/);
    });
  });

  it('is not asked for by a schema that nobody could check it with', async () => {
    await withModel([{ text: '{}' }], async ({ fail, server }) => {
      const { class: found } = await fail({ responseSchema: { type: 'spaceship' } });
      assert.deepEqual([found, server.requests.length], ['invalid-request', 0]);
    });
  });

  for (const [what, text] of [
    ['is no JSON', 'glad'],
    ['has another form', '{"mood":3}'],
  ] as const) {
    it(`is a failure of validation where it ${what}, and its tokens are wasted`, async () => {
      await withModel([{ text }], async ({ fail }) => {
        const { class: found, sums, fallback } = await fail({ responseSchema: schema });
        assert.deepEqual([found, sums.tokensWasted, fallback], ['validation', 120, true]);
      });
    });
  }
});

describe('what an answer cost', () => {
  it('is booked by the price of its model', async () => {
    await withModel(
      [{ text: 'Yes.' }],
      async ({ ask }) => {
        assert.equal((await ask()).envelope.cost, 60 * 3 + 40 * 0.3 + 20 * 15);
      },
      { prices },
    );
  });

  it('is null where its model has no price', async () => {
    await withModel([{ text: 'Yes.' }], async ({ ask }) => {
      assert.equal((await ask()).envelope.cost, null);
    });
  });

  it('is an estimate, and says so, where the provider tells no usage', async () => {
    await withModel([{ text: 'On its way.', usage: null }], async ({ ask }) => {
      const { answer, envelope } = await ask();
      const { inputTokens, outputTokens, estimated } = answer.usage;
      assert.equal(estimated, true);
      assert.ok(inputTokens > 5 && inputTokens < 40, String(inputTokens));
      assert.ok(outputTokens > 1 && outputTokens < 10, String(outputTokens));
      assert.equal(envelope.tokens, inputTokens + outputTokens);
    });
  });
});

describe('models', () => {
  it('are refused with every fault of their configuration', () => {
    const models = {
      far: { provider: 'openai-compatible', model: 'x' },
      hasty: { provider: 'openai', model: '', firstTokenTimeoutMs: 5 },
    } as const;
    const made = {
      models,
      prices: { far: { input: -1, output: 1 }, fra: { input: 1, output: 1 } },
    };
    const faults = faultsOf(() => implementModels(made));
    assert.deepEqual(
      faults.map(({ field }) => field),
      [
        'models.far.baseUrl',
        'models.hasty.model',
        'models.hasty.firstTokenTimeoutMs',
        'prices.far.input',
        'prices.fra',
      ],
    );
    assert.throws(() => implementModels(made), InvalidRequestError);
  });
});
