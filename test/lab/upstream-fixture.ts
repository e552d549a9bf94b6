import { setTimeout as sleep } from 'node:timers/promises';
import {
  createUpstream,
  type Upstream,
  type UpstreamOptions,
  type UpstreamStats,
} from '../../src/lab/upstream/index.js';

/** A running upstream with the calls that its tests make. */
export type RunningUpstream = Upstream & {
  readonly url: string;
  /** Posts a refund of 1 cent unless the body says otherwise. */
  refund(request?: RefundRequest): Promise<Response>;
  get(path: string): Promise<Response>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
};

type RefundRequest = {
  readonly key?: string;
  readonly call?: string;
  readonly amountCents?: number;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Starts an upstream on a free port, runs the body, and stops it whatever happens. */
export async function withUpstream(
  options: UpstreamOptions,
  body: (upstream: RunningUpstream) => Promise<void>,
): Promise<void> {
  const upstream = createUpstream(options);
  const { url } = await upstream.start();
  const post: RunningUpstream['post'] = (path, value, headers = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof value === 'string' ? value : JSON.stringify(value),
    });
  const refund: RunningUpstream['refund'] = (request = {}) =>
    fetch(`${url}/refunds`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(request.key !== undefined && { 'idempotency-key': request.key }),
        ...(request.call !== undefined && { 'x-lab-call': request.call }),
        ...request.headers,
      },
      body: JSON.stringify({ orderId: 'ORD-1003', amountCents: request.amountCents ?? 1 }),
      ...(request.signal && { signal: request.signal }),
    });
  try {
    await body({ ...upstream, url, refund, post, get: (path) => fetch(`${url}${path}`) });
  } finally {
    await upstream.stop();
  }
}

/** Waits until the counts say what is asked; the test runner's own limit ends a vain wait. */
export async function untilStats(
  upstream: Upstream,
  holds: (stats: UpstreamStats) => boolean,
): Promise<UpstreamStats> {
  for (;;) {
    const stats = upstream.stats();
    if (holds(stats)) return stats;
    await sleep(2);
  }
}

/** Returns the system's code of a failed fetch, such as ECONNRESET. */
export async function failureCode(call: Promise<Response>): Promise<string | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    const cause: unknown = error instanceof Error ? error.cause : undefined;
    if (typeof cause !== 'object' || cause === null || !('code' in cause)) return 'no code';
    return String(cause.code);
  }
}
