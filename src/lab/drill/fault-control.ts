import type { UpstreamClient } from '../demo/upstream-client.js';
import { drillFacts, drillFaults } from './drill-plan.js';
import type { Toxic, ToxicProxy } from './toxiproxy-client.js';

/** Brings the drill's faults, and takes them away. */
export type FaultControl = {
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
};

/** Makes faults that the upstream decides request by request, from the seed. */
export function upstreamFaults(upstream: UpstreamClient): FaultControl {
  return { begin: () => upstream.setFaults(drillFaults), end: () => upstream.setFaults({}) };
}

const { dropShare, delayMs } = drillFacts;
/** Each way drops alone, so that together they drop the whole share. */
const dropShareEachWay = 1 - Math.sqrt(1 - dropShare);

const toxics: readonly Toxic[] = [
  { type: 'latency', stream: 'downstream', toxicity: 1, attributes: { latency: delayMs } },
  // a timeout of 0 holds the connection and lets nothing through
  { type: 'timeout', stream: 'upstream', toxicity: dropShareEachWay, attributes: { timeout: 0 } },
  { type: 'timeout', stream: 'downstream', toxicity: dropShareEachWay, attributes: { timeout: 0 } },
];

/** Makes faults that strike connections on their way to the upstream or back. */
export function networkFaults(proxy: ToxicProxy): FaultControl {
  return { begin: () => proxy.setToxics(toxics), end: () => proxy.setToxics([]) };
}
