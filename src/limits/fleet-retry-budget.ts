import { FleetLink, type FleetLinkOptions } from './fleet-link.js';
import { FleetShare, type Taken } from './fleet-share.js';
import type { FleetStore } from './fleet-store.js';
import { allOnce } from './once.js';
import type { RatioKey, RetryBudget, RetryDecision } from './retry-budget.js';
import { RetryWindows } from './retry-windows.js';

type Granted = Extract<Taken, { readonly kind: 'granted' }>;

const denied = { allowed: false, refund: () => {} } as const;

/**
 * Returns the retry budget of a worker that shares its windows with the fleet through a store. While the store gives
 * no answer the worker decides by its own windows, and tells the fleet afterwards.
 */
export function createFleetRetryBudget(store: FleetStore, options: FleetLinkOptions): RetryBudget {
  const { now } = options;
  const link = new FleetLink(store, options);
  const windows = new RetryWindows((key) => new FleetShare(windowName(key), link, key.ratio));
  return {
    callSent: (key) => {
      const nowMs = now();
      const sent = windows.of(key, nowMs).map((share) => share.callSent(key.ratio, nowMs));
      return { takeBack: allOnce(sent) };
    },
    decide: async (key, { dueInMs }) => {
      const nowMs = now();
      const dueMs = nowMs + dueInMs;
      const shares = windows.of(key, nowMs);
      const taken = await Promise.all(shares.map((share) => share.take(key.ratio, dueMs, nowMs)));
      const granted = taken.filter(isGranted).map(({ giveBack }) => giveBack);
      if (granted.length === taken.length) return allowed('fleet', granted);
      for (const giveBack of granted) giveBack(); // a retry is paid from every window or from none
      if (taken.some(({ kind }) => kind === 'denied')) return { ...denied, by: 'fleet' };
      return decideAlone(shares, key, { nowMs: now(), dueMs });
    },
    close: async () => {
      await Promise.all(windows.all().map((share) => share.flush()));
      link.close();
      await store.close();
    },
  };
}

function decideAlone(
  shares: readonly FleetShare[],
  { ratio }: RatioKey,
  { nowMs, dueMs }: { readonly nowMs: number; readonly dueMs: number },
): RetryDecision {
  const isAllowed = shares.every(({ local }) => local.allows(ratio, nowMs));
  if (!isAllowed) return { ...denied, by: 'worker' };
  return allowed(
    'worker',
    shares.map((share) => share.charge(dueMs)),
  );
}

function allowed(by: RetryDecision['by'], refunds: readonly (() => void)[]): RetryDecision {
  return { allowed: true, by, refund: allOnce(refunds) };
}

/** JSON, since it holds no character that a database refuses. */
function windowName({ downstream, tenant, ratio }: RatioKey): string {
  const owner = tenant === undefined ? [downstream] : [downstream, tenant];
  return JSON.stringify([ratio.windowMs, ...owner]);
}

function isGranted(taken: Taken): taken is Granted {
  return taken.kind === 'granted';
}
