import type { FaultPlanInput, RequestLog, UpstreamStats } from '../upstream/index.js';

/** The upstream's handles for whoever runs it. */
export type UpstreamClient = {
  readonly url: string;
  readonly setFaults: (faults: FaultPlanInput) => Promise<void>;
  readonly reset: () => Promise<void>;
  readonly stats: () => Promise<UpstreamStats>;
  readonly requests: () => Promise<RequestLog>;
};

/** Makes a client of a running upstream. */
export function createUpstreamClient(url: string): UpstreamClient {
  const ask = async (path: string, body?: unknown): Promise<unknown> => {
    const isPost = body !== undefined;
    const response = await fetch(`${url}${path}`, {
      method: isPost ? 'POST' : 'GET',
      ...(isPost ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    return response.json();
  };
  return {
    url,
    setFaults: async (faults) => void (await ask('/faults', faults)),
    reset: async () => void (await ask('/reset', {})),
    stats: async () => (await ask('/stats')) as UpstreamStats, // what the upstream serves there
    requests: async () => (await ask('/requests')) as RequestLog, // likewise
  };
}
