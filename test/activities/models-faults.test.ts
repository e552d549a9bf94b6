import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ErrorClass } from '../../src/budget/classify-types.js';
import type { ModelTurn } from '../support/model-server.js';
import { wireOf } from '../support/model-wires.js';
import { providers, withModel } from './models-rig.js';

type Row = {
  readonly when: string;
  readonly turn: ModelTurn;
  readonly class: ErrorClass;
  readonly retryable: boolean;
  readonly fallback: boolean;
  readonly retryAfterMs?: number;
  readonly stream?: boolean;
};

const chat = wireOf('/chat/completions');
const begun = chat.events({ text: 'On its way.' }).slice(0, 2);
const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
const limited = { error: { message: 'Rate limit reached', code: 429 } };

const rows: readonly Row[] = [
  {
    when: 'a rate limit with a hint',
    turn: { status: 429, body: limited, headers: { 'retry-after': '7' } },
    class: 'rate-limit',
    retryable: true,
    fallback: false,
    retryAfterMs: 7_000,
  },
  {
    when: 'a spent quota under a 429',
    turn: { status: 429, body: { error: { code: 'insufficient_quota', message: 'Add credits' } } },
    class: 'quota',
    retryable: false,
    fallback: true,
  },
  {
    when: 'a prompt that is too long',
    turn: {
      status: 400,
      body: { error: { code: 'context_length_exceeded', message: 'Too long' } },
    },
    class: 'context-length',
    retryable: false,
    fallback: true,
  },
  {
    when: 'an error inside a 200',
    turn: { status: 200, body: limited },
    class: 'rate-limit',
    retryable: true,
    fallback: true,
  },
  {
    when: 'a page in place of an answer',
    turn: { status: 200, body: '<html><title>Welcome</title></html>' },
    class: 'validation',
    retryable: false,
    fallback: true,
  },
  {
    when: 'an answer without a choice',
    turn: { status: 200, body: { ...Object(chat.body({})), choices: [] } },
    class: 'validation',
    retryable: false,
    fallback: true,
  },
  {
    when: 'an empty answer',
    turn: { text: '' },
    class: 'validation',
    retryable: true,
    fallback: true,
  },
  {
    when: 'an answer whose length was used up by thinking',
    turn: { text: '', finish: 'length' },
    class: 'validation',
    retryable: false,
    fallback: true,
  },
  {
    when: 'an error event before the first token',
    turn: { events: [overloaded], ending: 'end' },
    class: 'overloaded',
    retryable: true,
    fallback: true,
    stream: true,
  },
  {
    when: 'an error event after some tokens',
    turn: { events: [...begun, limited], ending: 'end' },
    class: 'rate-limit',
    retryable: true,
    fallback: true,
    stream: true,
  },
  {
    when: 'a stream that ends in the middle',
    turn: { events: begun, ending: 'end' },
    class: 'network',
    retryable: true,
    fallback: true,
    stream: true,
  },
  {
    when: 'a stream that breaks in the middle',
    turn: { events: begun, ending: 'break' },
    class: 'network',
    retryable: true,
    fallback: true,
    stream: true,
  },
  {
    when: 'a stream whose provider says that it broke down',
    turn: {
      events: [...begun, { choices: [{ index: 0, delta: {}, finish_reason: 'error' }] }],
      ending: 'end',
    },
    class: 'server',
    retryable: true,
    fallback: true,
    stream: true,
  },
];

describe('the failure of a model', () => {
  for (const { when, turn, stream = false, ...expected } of rows) {
    it(`is of its class after ${when}`, async () => {
      await withModel(
        [turn],
        async ({ fail, server }) => {
          const told = await fail();
          const { class: found, retryable, fallback, retryAfterMs } = told;
          assert.deepEqual(
            { class: found, retryable, fallback, retryAfterMs },
            { retryAfterMs: null, ...expected },
            told.message,
          );
          assert.equal(server.requests.length, 1);
        },
        { config: { stream } },
      );
    });
  }

  for (const provider of providers) {
    it(`is a cut connection where the stream of ${provider} ends without its end`, async () => {
      const wire = wireOf(
        {
          openai: '/responses',
          anthropic: '/messages',
          google: '',
          'openai-compatible': '/chat/completions',
        }[provider],
      );
      const events = wire.events({ text: 'On its way.' }).slice(0, -2);
      await withModel(
        [{ events, ending: 'end' }],
        async ({ fail }) => {
          const { class: found, sums, message } = await fail();
          assert.equal(found, 'network', message);
          assert.ok(sums.tokensWasted > 0, 'what was read and said is estimated');
        },
        { config: { provider, stream: true } },
      );
    });
  }

  it('is a refused connection where nobody listens', async () => {
    await withModel([{ text: 'never' }], async ({ fail, server }) => {
      await server.stop();
      const { class: found, retryable, sums } = await fail();
      assert.deepEqual([found, retryable, sums.tokensWasted], ['network', true, 0]);
    });
  });

  it('is an invalid request where the worker has no such model', async () => {
    await withModel([{ text: 'never' }], async ({ fail, server }) => {
      const { class: found, message } = await fail({ model: 'other' });
      assert.equal(found, 'invalid-request');
      assert.match(message, /must be one of this worker's models: fast/);
      assert.equal(server.requests.length, 0);
    });
  });

  it('is an invalid request where there is nothing to answer', async () => {
    await withModel([{ text: 'never' }], async ({ fail }) => {
      assert.equal((await fail({ messages: [] })).class, 'invalid-request');
    });
  });

  it('is one of auth where no key is known', async () => {
    const key = process.env.ANTHROPIC_API_KEY;
    delete process.env.ANTHROPIC_API_KEY;
    try {
      await withModel(
        [{ text: 'never' }],
        async ({ fail }) => {
          assert.equal((await fail()).class, 'auth');
        },
        { config: { provider: 'anthropic' }, key: null },
      );
    } finally {
      if (key !== undefined) process.env.ANTHROPIC_API_KEY = key;
    }
  });
});

describe('the time of a model', () => {
  it('ends at the attempt’s deadline as a timeout, with what it will have used', async () => {
    await withModel([{ hangs: true }], async ({ fail, server }) => {
      const {
        class: found,
        retryable,
        sums,
      } = await fail({}, { info: { startToCloseTimeoutMs: 400 } });
      assert.deepEqual([found, retryable, server.requests.length], ['timeout', true, 1]);
      assert.ok(sums.tokensWasted > 0, 'the prompt was sent');
    });
  });

  it('ends at the deadline of the first token, while the attempt has time left', async () => {
    await withModel(
      [{ hangs: true }],
      async ({ fail }) => {
        const { class: found, message, sums } = await fail();
        assert.equal(found, 'timeout');
        assert.match(message, /said nothing within 150 ms/);
        assert.ok(sums.tokensWasted > 0, 'the prompt was sent');
      },
      { config: { stream: true, firstTokenTimeoutMs: 150 } },
    );
  });

  it('has no deadline of the first token once that has come', async () => {
    await withModel(
      [{ events: begun, ending: 'hang' }],
      async ({ fail }) => {
        const { class: found, message } = await fail({}, { info: { startToCloseTimeoutMs: 600 } });
        assert.equal(found, 'timeout');
        assert.match(message, /given up after/);
      },
      { config: { stream: true, firstTokenTimeoutMs: 300 } },
    );
  });

  it('is cut when the call is cancelled', async () => {
    await withModel([{ hangs: true }], async ({ start, server }) => {
      const { environment, ended } = start();
      while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      environment.cancel();
      const end = await ended;
      assert.equal(
        end.kind === 'failed' && end.error instanceof Error && end.error.name,
        'CancelledFailure',
      );
    });
  });
});
