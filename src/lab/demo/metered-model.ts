import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { errorMessage } from '../../budget/error-facts.js';
import type { RealModel } from './options.js';

/** What a real model was asked and used. */
export type MeterReading = {
  readonly calls: number;
  readonly tokens: number;
  /** Calls refused because a cap would have been passed. */
  readonly refused: number;
  /** Calls that the model answered with a 2xx. */
  readonly answered: number;
  /** Why the last other call failed; null where none did. */
  readonly lastFailure: string | null;
};

/** A gate on 127.0.0.1 before a real model: it alone knows the key, and keeps the caps. */
export type MeteredModel = {
  readonly url: string;
  readonly read: () => MeterReading;
  readonly stop: () => Promise<void>;
};

const usageSchema = z.object({ usage: z.object({ total_tokens: z.int().nonnegative() }) });
const limitSchema = z.object({ max_tokens: z.int().nonnegative() });
// no tokenizer makes more of a text than this
const bytesPerToken = 2;

/**
 * Starts the gate. A call is admitted when it and its largest possible use of tokens fit under the
 * caps together with those in flight; it is settled by the usage that the model reports. Others get
 * 402 with `insufficient_quota`, which is not retried.
 */
export async function startMeteredModel(model: RealModel): Promise<MeteredModel> {
  let calls = 0;
  let tokens = 0;
  let reserved = 0;
  let refused = 0;
  let answered = 0;
  let lastFailure: string | null = null;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const most = Math.ceil(Buffer.byteLength(body) / bytesPerToken) + answerLimit(body);
    if (calls + 1 > model.maxCalls || tokens + reserved + most > model.maxTokens) {
      refused += 1;
      return answer(response, 402, refusal(model));
    }
    calls += 1;
    reserved += most;
    let used = most;
    try {
      const reply = await ask(model, body);
      const usage = usageSchema.safeParse(parseJson(reply.body));
      if (reply.status < 300) answered += 1;
      else lastFailure = `status ${reply.status}`;
      used = usage.success ? usage.data.usage.total_tokens : reply.status < 400 ? most : 0;
      answer(response, reply.status, reply.body, reply.headers);
    } catch (error) {
      lastFailure = errorMessage(error instanceof Error ? (error.cause ?? error) : error);
      throw error;
    } finally {
      reserved -= most;
      tokens += used;
    }
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy()); // the provider didn't answer: nor does the gate
  });
  const url = await listen(server);
  return {
    url,
    read: () => ({ calls, tokens, refused, answered, lastFailure }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

async function ask({ baseUrl, key }: RealModel, body: string): Promise<Reply> {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body,
  });
  const hints = [...response.headers].filter(
    ([name]) => name.startsWith('retry-after') || name.startsWith('x-ratelimit'),
  );
  return {
    status: response.status,
    headers: Object.fromEntries(hints),
    body: await response.text(),
  };
}

function answer(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body);
}

function refusal({ maxCalls, maxTokens }: RealModel): string {
  const message = `The demo's cap of ${maxCalls} calls or ${maxTokens} tokens is reached.`;
  return JSON.stringify({
    error: { type: 'insufficient_quota', code: 'insufficient_quota', message },
  });
}

function answerLimit(body: string): number {
  const limit = limitSchema.safeParse(parseJson(body));
  return limit.success ? limit.data.max_tokens : 0;
}

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined; // not JSON: nothing can be read from it
  }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  return `http://127.0.0.1:${port}/v1`;
}
