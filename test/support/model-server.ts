import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Said, wireOf } from './model-wires.js';

/** What the server does with one request: the model's words, or a fault. */
export type ModelTurn =
  | Said
  | {
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Answers as a stream of events and ends it without its end: cleanly, by breaking the connection, or never. */
  | { readonly events: readonly unknown[]; readonly ending: 'end' | 'break' | 'hang' }
  | { readonly hangs: true };

/** A request as it came. */
export type ModelRequest = {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: four providers' requests; each test knows its own.
  readonly body: any;
};

/** A server that plays a model by a script. */
export type ModelServer = {
  readonly url: string;
  /** Every HTTP request that came, in order. */
  readonly requests: readonly ModelRequest[];
  readonly stop: () => Promise<void>;
};

/**
 * Starts a server that speaks the wires of four providers by path. It plays the turns in their order, the last one for
 * ever; a function decides by the request's number.
 */
export async function startModelServer(
  turns: readonly ModelTurn[] | ((request: number) => ModelTurn),
): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const turnOf =
    typeof turns === 'function'
      ? turns
      : (number: number) => turns[Math.min(number, turns.length - 1)] ?? { text: 'ok' };
  const server = createServer((incoming, response) => {
    let text = '';
    incoming.setEncoding('utf8');
    incoming.on('data', (chunk: string) => {
      text += chunk;
    });
    incoming.on('end', () => {
      const path = incoming.url ?? '';
      const request = { path, headers: incoming.headers, body: JSON.parse(text) };
      play(turnOf(requests.push(request) - 1), request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function play(turn: ModelTurn, { path, body }: ModelRequest, response: ServerResponse): void {
  if ('hangs' in turn) return;
  if ('status' in turn) {
    const text = typeof turn.body === 'string' ? turn.body : JSON.stringify(turn.body);
    response.writeHead(turn.status, { 'content-type': 'application/json', ...turn.headers });
    response.end(text);
    return;
  }
  if ('events' in turn) {
    stream(response, turn.events);
    if (turn.ending === 'end') response.end();
    // What was written is sent before the connection breaks.
    if (turn.ending === 'break') setTimeout(() => response.destroy(), 20);
    return;
  }
  const [route = ''] = path.split('?');
  const wire = wireOf(route);
  const isStream = body.stream === true || route.endsWith(':streamGenerateContent');
  if (isStream) {
    stream(response, wire.events(turn));
    response.end('data: [DONE]\n\n');
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(wire.body(turn)));
}

function stream(response: ServerResponse, events: readonly unknown[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
}
