import { createServer } from 'node:net';

const loopback = '127.0.0.1';

/** Returns whether a port of 127.0.0.1 can be listened on at this moment. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await listenBriefly(port)) !== undefined;
}

/** Returns a port of 127.0.0.1 that was free a moment ago; the caller must cope with losing it. */
export async function freePort(): Promise<number> {
  const port = await listenBriefly(0);
  if (port === undefined) throw new Error('the machine has no free port on 127.0.0.1');
  return port;
}

function listenBriefly(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined)); // taken or not allowed: either way not free
    server.listen(port, loopback, () => {
      const address = server.address();
      const taken = address !== null && typeof address === 'object' ? address.port : undefined;
      server.close(() => resolve(taken));
    });
  });
}
