import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

type Told = { readonly path: string | undefined; readonly headers: IncomingHttpHeaders };

/** A collector of OpenTelemetry that hears metrics by HTTP. */
export type Collector = {
  readonly url: string;
  /** Resolves with the request that first tells of a metric from now on. */
  readonly told: (metric: string) => Promise<Told>;
  readonly stop: () => void;
};

/** Starts a collector on a port of its own. */
export async function startCollector(): Promise<Collector> {
  const heard = new EventEmitter();
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const told: Told = { path: request.url, headers: request.headers };
      heard.emit('metrics', told, body);
      response.end();
    }); // a request that breaks off is sent again
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on one
  return {
    url: `http://127.0.0.1:${port}/v1/metrics`,
    told: (metric) =>
      new Promise((resolve) => {
        heard.on('metrics', (told: Told, body: Buffer) => {
          if (body.includes(metric)) resolve(told); // names stand in it as they are
        });
      }),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
