import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RateLimitHint } from './faults.js';

/** A larger body is refused with 413; bytes. */
export const bodyLimitBytes = 4 * 1024 * 1024;

/** A body as it was read: JSON, or why there is none. */
export type ReadBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'not-json' }
  | { readonly kind: 'too-large' };

/** Reads a request's body to its end. Throws when the client goes away in the middle. */
export async function readBody(request: IncomingMessage): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    // A stream without an encoding yields buffers.
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size <= bodyLimitBytes) chunks.push(bytes);
  }
  if (size > bodyLimitBytes) return { kind: 'too-large' };
  try {
    return { kind: 'json', value: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch {
    return { kind: 'not-json' }; // said to the client as a 400
  }
}

/** Returns a header's value where it came once and isn't empty. */
export function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Sends JSON and ends the response. */
export function sendJson(
  response: ServerResponse,
  answer: {
    readonly status: number;
    readonly body: unknown;
    readonly headers?: Readonly<Record<string, string>>;
  },
): void {
  const text = JSON.stringify(answer.body);
  response.writeHead(answer.status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...answer.headers,
  });
  response.end(text);
}

/** Sends server-sent events and ends the response. */
export function sendEvents(response: ServerResponse, events: readonly string[]): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
  });
  for (const event of events) response.write(event);
  response.end();
}

/** Returns the headers that tell a client when to come back after a 429. */
export function hintHeaders(hint: RateLimitHint, nowMs: number): Readonly<Record<string, string>> {
  switch (hint.form) {
    case 'none':
      return {};
    case 'seconds':
      return { 'retry-after': String(hint.waitMs / 1000) };
    case 'http-date':
      // HTTP dates have whole seconds; rounded up, so that the wait is never shortened.
      return {
        'retry-after': new Date(Math.ceil((nowMs + hint.waitMs) / 1000) * 1000).toUTCString(),
      };
    case 'milliseconds':
      return { 'retry-after-ms': String(hint.waitMs) };
  }
}
