import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves on a free port of this machine while the body runs. */
export async function withServer(
  serve: RequestListener,
  body: (url: string) => Promise<void>,
): Promise<void> {
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  try {
    await body(`http://127.0.0.1:${port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Answers every request with one status and body. */
export function answering(status: number, body: string, headers = {}): RequestListener {
  return (_request, response) => {
    response.writeHead(status, headers).end(body);
  };
}
