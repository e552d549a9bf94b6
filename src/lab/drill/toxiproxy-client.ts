import { z } from 'zod';
import { HoldfastError } from '../../budget/errors.js';

/** What Toxiproxy does to connections; `toxicity` is the share of them. */
export type Toxic = {
  /** Towards the service, or back from it. */
  readonly stream: 'upstream' | 'downstream';
  readonly toxicity: number;
} & (
  | {
      readonly type: 'latency';
      /** Milliseconds. */
      readonly attributes: { readonly latency: number; readonly jitter?: number };
    }
  | {
      /** Lets nothing through and closes after `timeout` milliseconds, at 0 never. */
      readonly type: 'timeout';
      readonly attributes: { readonly timeout: number };
    }
  | {
      /** Resets the connection after `timeout` milliseconds. */
      readonly type: 'reset_peer';
      readonly attributes: { readonly timeout: number };
    }
);

/** A proxy before one service. */
export type ToxicProxy = {
  /** host:port to connect to in the service's place. */
  readonly address: string;
  /** Replaces all toxics; those that go let new connections pass at once. */
  readonly setToxics: (toxics: readonly Toxic[]) => Promise<void>;
};

/** Toxiproxy refused what it was asked. */
export class ToxiproxyError extends HoldfastError {
  readonly kind = 'toxiproxy';
  constructor(
    readonly request: string,
    readonly status: number,
    readonly answer: string,
  ) {
    super(`Toxiproxy answered ${status} to ${request}: ${answer.trim()}`);
  }
}

const proxySchema = z.object({ listen: z.string() });
const toxicsSchema = z.array(z.object({ name: z.string() }));

/**
 * Makes a proxy at a running Toxiproxy; it listens on a free port of 127.0.0.1.
 * @throws ToxiproxyError where the name is taken
 */
export async function createToxicProxy(
  apiUrl: string,
  { name, target }: { readonly name: string; readonly target: string },
): Promise<ToxicProxy> {
  const body = { name, upstream: target, listen: '127.0.0.1:0', enabled: true };
  const { listen } = proxySchema.parse(await ask(`${apiUrl}/proxies`, { method: 'POST', body }));
  const toxicsUrl = `${apiUrl}/proxies/${name}/toxics`;
  return {
    address: listen,
    async setToxics(toxics) {
      for (const old of toxicsSchema.parse(await ask(toxicsUrl, { method: 'GET' }))) {
        await ask(`${toxicsUrl}/${old.name}`, { method: 'DELETE' });
      }
      for (const [index, toxic] of toxics.entries()) {
        await ask(toxicsUrl, { method: 'POST', body: { name: `toxic-${index}`, ...toxic } });
      }
    },
  };
}

async function ask(
  url: string,
  { method, body }: { readonly method: string; readonly body?: unknown },
): Promise<unknown> {
  const response = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new ToxiproxyError(`${method} ${url}`, response.status, text);
  return text === '' ? null : JSON.parse(text);
}
