import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A collector of OpenTelemetry that hears metrics by HTTP. */
export type Collector = {
  readonly url: string;
  /** Resolves with the path at which it is told of a metric from now on. */
  readonly told: (metric: string) => Promise<string>;
  readonly stop: () => void;
};

/** Starts a collector on a port of its own. */
export async function startCollector(): Promise<Collector> {
  const heard = new EventEmitter();
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      heard.emit('metrics', request.url, body);
      response.end();
    }); // a request that breaks off is sent again
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on one
  return {
    url: `http://127.0.0.1:${port}/v1/metrics`,
    told: (metric) =>
      new Promise((resolve) => {
        heard.on('metrics', (path: string, body: Buffer) => {
          if (body.includes(metric)) resolve(path); // names stand in it as they are
        });
      }),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
