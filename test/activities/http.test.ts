import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { currentAttempt } from '../../src/activities/attempt-context.js';
import {
  createHttp,
  type HttpAnswer,
  HttpError,
  type HttpRequest,
} from '../../src/activities/http.js';
import { withUpstream } from '../lab/upstream-fixture.js';
import { type AttemptOptions, answeredAttempt, failedAttempt, readHeader } from './attempts.js';
import { answering, withServer } from './servers.js';

const unheard = new AbortController().signal;

/** Makes one request in one attempt. */
function requestOf(request: HttpRequest): () => Promise<HttpAnswer> {
  return () => createHttp(currentAttempt(), currentAttempt()?.signal ?? unheard)(request);
}

async function headersOf(
  options: AttemptOptions,
  request: Partial<HttpRequest> = {},
): Promise<Record<string, unknown>> {
  let seen: Record<string, unknown> = {};
  await withServer(
    (incoming, response) => {
      seen = incoming.headers;
      response.end('{}');
    },
    async (url) => {
      await answeredAttempt(requestOf({ url, ...request }), options);
    },
  );
  return seen;
}

const write = { effect: 'idempotent-write' } as const;

describe('the headers of a request', () => {
  it('say attempt, retries left and time left', async () => {
    const before = { failed: 'f', tokensWasted: 0, ambiguous: false };
    const headers = await headersOf({ header: { before } });
    assert.equal(headers['holdfast-attempt'], '2');
    assert.equal(headers['holdfast-retries-left'], '1');
    const timeLeftMs = Number(headers['holdfast-time-left-ms']);
    assert.ok(Number.isInteger(timeLeftMs) && timeLeftMs > 0 && timeLeftMs <= 9_500);
  });

  for (const effect of ['idempotent-write', 'write'] as const) {
    it(`carry the key of the effect: ${effect}`, async () => {
      const headers = await headersOf({ header: { effect } });
      assert.equal(headers['idempotency-key'], readHeader.key);
    });
  }

  it('carry no key for a read, nor where there is none', async () => {
    assert.ok(!('idempotency-key' in (await headersOf({}))));
    const headers = await headersOf({ header: { ...write, key: null } });
    assert.ok(!('idempotency-key' in headers));
  });

  it('let the user’s own stand, whatever the case of their names', async () => {
    const own = { 'Idempotency-Key': 'mine', 'CONTENT-TYPE': 'application/x', 'X-Own': '1' };
    const headers = await headersOf({ header: write }, { json: {}, headers: own });
    assert.equal(headers['idempotency-key'], 'mine');
    assert.equal(headers['content-type'], 'application/x');
    assert.equal(headers['x-own'], '1');
  });

  it('are none of ours outside the gate', async () => {
    await withServer(
      (incoming, response) => response.end(JSON.stringify(Object.keys(incoming.headers))),
      async (url) => {
        const { body } = await createHttp(undefined, unheard)({ url });
        assert.ok(Array.isArray(body) && !body.some((name) => String(name).startsWith('holdfast')));
      },
    );
  });
});

describe('a request', () => {
  it('is a GET, or a POST of JSON where there is a body', async () => {
    await withServer(
      (incoming, response) => {
        incoming.setEncoding('utf8');
        let text = '';
        incoming.on('data', (chunk: string) => {
          text += chunk;
        });
        incoming.on('end', () => response.end(JSON.stringify([incoming.method, text])));
      },
      async (url) => {
        const http = createHttp(undefined, unheard);
        assert.deepEqual((await http({ url })).body, ['GET', '']);
        assert.deepEqual((await http({ url: new URL(url), json: { a: 1 } })).body, [
          'POST',
          '{"a":1}',
        ]);
        assert.deepEqual((await http({ url, json: null })).body, ['POST', 'null']);
        assert.deepEqual((await http({ url, json: 1, method: 'PUT' })).body, ['PUT', '1']);
      },
    );
  });

  it('is sent once in an attempt, whatever the answer', async () => {
    for (const status of [200, 429, 500, 503]) {
      await withUpstream({}, async (upstream) => {
        if (status !== 200) {
          upstream.setFaults({ refunds: { faults: [{ kind: 'status', status }] } });
        }
        const work = requestOf({
          url: `${upstream.url}/refunds`,
          json: { orderId: 'ORD-1003', amountCents: 1 },
        });
        const attempt = status === 200 ? answeredAttempt : failedAttempt;
        await attempt(work, { header: write });
        assert.equal(upstream.stats().totals.requests, 1);
      });
    }
  });

  it('is sent once where the connection breaks', async () => {
    for (const kind of ['drop', 'reset'] as const) {
      await withUpstream({ faults: { lookup: { faults: [{ kind }] } } }, async (upstream) => {
        const options = { info: { startToCloseTimeoutMs: 300 } };
        const { detail } = await failedAttempt(
          requestOf({ url: `${upstream.url}/orders/ORD-1003` }),
          options,
        );
        assert.ok(detail.retryable);
        assert.equal(upstream.stats().totals.requests, 1);
      });
    }
  });

  it('is broken off at the attempt’s deadline', async () => {
    await withUpstream({ faults: { lookup: { delay: { ms: 60_000 } } } }, async (upstream) => {
      const work = requestOf({ url: `${upstream.url}/orders/ORD-1003` });
      const { detail } = await failedAttempt(work, { info: { startToCloseTimeoutMs: 200 } });
      assert.equal(detail.class, 'timeout');
    });
  });
});

describe('an answer', () => {
  const good: readonly (readonly [string, string, unknown])[] = [
    ['JSON', '{"a":[1]}', { a: [1] }],
    ['text', 'hello', 'hello'],
    ['nothing', '', ''],
    ['HTML', '<h1>Hi</h1>', '<h1>Hi</h1>'],
    ['a list', '[]', []],
    ['an error that is null', '{"error":null,"a":1}', { error: null, a: 1 }],
    ['an error that is an empty text', '{"error":""}', { error: '' }],
    ['a success', '{"success":true}', { success: true }],
  ];
  for (const [name, text, body] of good) {
    it(`is taken as it comes: ${name}`, async () => {
      await withServer(answering(200, text), async (url) => {
        assert.deepEqual((await createHttp(undefined, unheard)({ url })).body, body);
      });
    });
  }

  const insideOf200: readonly string[] = [
    '{"error":{"message":"overloaded","code":529}}',
    '{"error":"something broke"}',
    '{"type":"error","error":{"type":"overloaded_error"}}',
    '{"success":false,"message":"no"}',
  ];
  for (const text of insideOf200) {
    it(`is an error inside a 200, and always offers a fallback: ${text}`, async () => {
      await withServer(answering(200, text), async (url) => {
        const { detail } = await failedAttempt(requestOf({ url }));
        assert.equal(detail.fallback, true);
      });
    });
  }

  it('that is an error carries status, headers and body', async () => {
    await withServer(answering(503, '{"a":1}', { 'retry-after': '7' }), async (url) => {
      await assert.rejects(createHttp(undefined, unheard)({ url }), (error: unknown) => {
        assert.ok(error instanceof HttpError);
        assert.equal(error.kind, 'http');
        assert.equal(error.answer.status, 503);
        assert.equal(error.answer.headers['retry-after'], '7');
        assert.deepEqual(error.answer.body, { a: 1 });
        return true;
      });
      const { detail, failure } = await failedAttempt(requestOf({ url }));
      assert.equal(detail.retryAfterMs, 7_000);
      assert.ok(Number(failure.nextRetryDelay) >= 7_000);
    });
  });

  it('that is an error page is still classified by its status', async () => {
    await withServer(answering(502, '<html>Bad gateway</html>'), async (url) => {
      assert.equal((await failedAttempt(requestOf({ url }))).detail.class, 'server');
    });
  });

  it('that breaks off is a network error, and leaves a write ambiguous', async () => {
    await withServer(
      (_request, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{"a":');
        setTimeout(() => response.destroy(), 10);
      },
      async (url) => {
        const { detail } = await failedAttempt(requestOf({ url }), { header: write });
        assert.equal(detail.class, 'network');
        assert.equal(detail.sums.ambiguous, true);
      },
    );
  });

  it('that never comes from a port where nobody listens leaves no doubt about a write', async () => {
    let closed = '';
    await withServer(answering(200, ''), async (url) => {
      closed = url;
    });
    const { detail } = await failedAttempt(requestOf({ url: closed }), { header: write });
    assert.equal(detail.class, 'network');
    assert.equal(detail.sums.ambiguous, false);
  });
});

describe('the message of a failed request', () => {
  it('names method, place and status, and keeps the query out', async () => {
    await withServer(answering(404, '{"error":{"message":"no such order"}}'), async (url) => {
      const work = requestOf({ url: `${url}/orders/1?api_key=geheim123&x=1` });
      const { failure } = await failedAttempt(work);
      assert.ok(failure.message.startsWith(`GET ${url}/orders/1 answered 404`));
      const shown = `${failure.message} ${failure.stack} ${failure.cause?.message} ${failure.cause?.stack}`;
      assert.doesNotMatch(shown, /geheim123/);
    });
  });

  it('keeps the query out where there was no answer', async () => {
    for (const url of ['http://127.0.0.1:1/a?token=geheim123', 'no url?token=geheim123']) {
      const { failure } = await failedAttempt(requestOf({ url }));
      const shown = `${failure.message} ${failure.stack} ${failure.cause?.message} ${failure.cause?.stack}`;
      assert.doesNotMatch(shown, /geheim123/);
    }
  });

  it('stops with the signal that it is given, also outside the gate', async () => {
    const never = createServer(() => {}).listen(0, '127.0.0.1');
    await once(never, 'listening');
    const { port } = never.address() as AddressInfo; // it listens on TCP
    const controller = new AbortController();
    const asking = createHttp(undefined, controller.signal)({ url: `http://127.0.0.1:${port}` });
    controller.abort(new Error('enough'));
    await assert.rejects(asking, /enough/);
    never.closeAllConnections();
    never.close();
  });
});
