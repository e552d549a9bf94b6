import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';

/** A server whose `/healthy` answers at once and whose other paths hang. */
export type HeldDownstream = {
  readonly url: string;
  /** Requests that hang at the moment. */
  readonly held: () => number;
  /** Answers all that hang. */
  readonly release: () => void;
  readonly stop: () => Promise<void>;
};

/** Starts it on a free port. What hangs is answered in the end: a breaker that opens would help, and isn't measured. */
export async function startHeldDownstream(holdMs: number): Promise<HeldDownstream> {
  const waiting = new Map<ServerResponse, NodeJS.Timeout>();
  const answer = (response: ServerResponse): void => {
    clearTimeout(waiting.get(response));
    waiting.delete(response);
    response.setHeader('content-type', 'application/json').end('{}');
  };
  const server = createServer((request, response) => {
    if (request.url === '/healthy') return answer(response);
    waiting.set(
      response,
      setTimeout(() => answer(response), holdMs),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const release = (): void => {
    for (const response of [...waiting.keys()]) answer(response);
  };
  return {
    url: `http://127.0.0.1:${port}`,
    held: () => waiting.size,
    release,
    stop: async () => {
      release();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
