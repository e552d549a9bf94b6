import type { Server } from 'node:http';
import { UpstreamStartError } from './upstream-errors.js';

/**
 * Listens and returns the port taken, which is the one asked for unless that was 0.
 * Throws `UpstreamStartError` where the system refuses.
 */
export async function listen(
  server: Server,
  { host, port }: { readonly host: '127.0.0.1'; readonly port: number },
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void =>
      reject(new UpstreamStartError(port, error.code ?? 'an unknown error', error));
    server.once('error', refuse);
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', refuse);
      resolve();
    });
  });
  const address = server.address();
  // A TCP server that listens has an address object; strings are for pipes.
  return typeof address === 'object' && address !== null ? address.port : port;
}
