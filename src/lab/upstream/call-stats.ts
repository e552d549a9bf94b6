import type { RouteName } from './faults.js';
import type { TokenUsage } from './model/complete-chat.js';

/** Counts of one route, or of all. */
export type RouteStats = {
  /** HTTP requests that arrived. */
  readonly requests: number;
  readonly inFlight: number;
  readonly inFlightPeak: number;
  readonly effects: number;
  /** Effects beyond the first of the same logical call. */
  readonly doubledEffects: number;
  /** Stored answers given for a key seen before. */
  readonly replays: number;
  /** By status, and `dropped`, `reset`, `client-gone` for requests that got no answer. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Injected faults by kind; `delay` for requests that had to wait. */
  readonly faults: Readonly<Record<string, number>>;
  /** Tokens of the chat's answers, those that got lost on the way included. */
  readonly promptTokens: number;
  readonly completionTokens: number;
};

/** What one request's headers say of its budget, as they came. */
export type BudgetHeaders = {
  readonly attempt: string | undefined;
  readonly retriesLeft: string | undefined;
  readonly timeLeftMs: string | undefined;
};

/** One logical call: all requests of a route under one call id. */
export type CallRecord = {
  readonly route: RouteName;
  /** `X-Lab-Call`, else `Idempotency-Key`. Requests with neither are in the route's counts only. */
  readonly id: string;
  /** Every idempotency key that the call came with, in order, each once. */
  readonly keys: readonly string[];
  readonly attempts: number;
  readonly effects: number;
  readonly replays: number;
  /** How each request ended, in order of the ends. */
  readonly statuses: readonly string[];
  /** One entry a request, in order of arrival. */
  readonly budgets: readonly BudgetHeaders[];
};

/** One thing that happened in the world: a refund paid, a mail sent. */
export type EffectRecord = {
  readonly route: RouteName;
  /** The request's body: what was paid or sent, to whom. */
  readonly body: unknown;
};

/** All counts since the start or the last reset. */
export type UpstreamStats = {
  readonly seed: number;
  readonly honourKeys: boolean;
  readonly totals: RouteStats;
  readonly routes: Readonly<Record<RouteName, RouteStats>>;
  readonly calls: readonly CallRecord[];
  /** In the order in which they happened, doubled ones too. */
  readonly effects: readonly EffectRecord[];
};

/** What is counted of a request as it goes on. */
export type RequestCounter = {
  /** Counted from 1 in the logical call, 1 without a call id. */
  readonly attempt: number;
  /** Something happened in the world, by a request with this body. */
  effect(body: unknown): void;
  replay(): void;
  fault(kind: string): void;
  tokens(usage: TokenUsage): void;
  /** Names how the request ends; the first name counts. */
  end(status: string): void;
  /** The request takes up no place any more. */
  leave(): void;
};

/** The request's route and who it belongs to. */
export type RequestFacts = {
  readonly route: RouteName;
  readonly callId: string | undefined;
  readonly key: string | undefined;
  readonly budget: BudgetHeaders;
};

/** Counts requests, effects and calls. */
export type CallCounters = {
  arrive(facts: RequestFacts): RequestCounter;
  snapshot(): Omit<UpstreamStats, 'seed' | 'honourKeys'>;
};

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type Counts = Writable<Omit<RouteStats, 'statuses' | 'faults'>> & {
  readonly statuses: Record<string, number>;
  readonly faults: Record<string, number>;
};
type Call = Writable<Omit<CallRecord, 'keys' | 'statuses' | 'budgets'>> & {
  readonly keys: string[];
  readonly statuses: string[];
  readonly budgets: BudgetHeaders[];
};

/** Makes counters at zero. */
export function createCallCounters(): CallCounters {
  const totals = emptyCounts();
  const routes: Readonly<Record<RouteName, Counts>> = {
    lookup: emptyCounts(),
    refunds: emptyCounts(),
    emails: emptyCounts(),
    chat: emptyCounts(),
  };
  const calls = new Map<string, Call>();
  const effects: EffectRecord[] = [];

  function callOf({ route, callId, key, budget }: RequestFacts): Call | undefined {
    if (callId === undefined) return undefined;
    const slot = `${route} ${callId}`;
    const call = calls.get(slot) ?? emptyCall(route, callId);
    calls.set(slot, call);
    call.attempts += 1;
    if (key !== undefined && !call.keys.includes(key)) call.keys.push(key);
    call.budgets.push(budget);
    return call;
  }

  function arrive(facts: RequestFacts): RequestCounter {
    const call = callOf(facts);
    const both = [totals, routes[facts.route]];
    let hasEnded = false;
    let hasLeft = false;
    for (const counts of both) {
      counts.requests += 1;
      counts.inFlight += 1;
      counts.inFlightPeak = Math.max(counts.inFlightPeak, counts.inFlight);
    }
    return {
      attempt: call?.attempts ?? 1,
      effect(body) {
        effects.push({ route: facts.route, body });
        if (call) call.effects += 1;
        const isDoubled = call !== undefined && call.effects > 1;
        for (const counts of both) {
          counts.effects += 1;
          if (isDoubled) counts.doubledEffects += 1;
        }
      },
      replay() {
        if (call) call.replays += 1;
        for (const counts of both) counts.replays += 1;
      },
      fault(kind) {
        for (const counts of both) increment(counts.faults, kind);
      },
      tokens(usage) {
        for (const counts of both) {
          counts.promptTokens += usage.promptTokens;
          counts.completionTokens += usage.completionTokens;
        }
      },
      end(status) {
        if (hasEnded) return;
        hasEnded = true;
        call?.statuses.push(status);
        for (const counts of both) increment(counts.statuses, status);
      },
      leave() {
        if (hasLeft) return;
        hasLeft = true;
        for (const counts of both) counts.inFlight -= 1;
      },
    };
  }

  return {
    arrive,
    snapshot: () => structuredClone({ totals, routes, calls: [...calls.values()], effects }),
  };
}

/** Returns the record of a logical call, whichever route it took first; undefined if none came. */
export function findCall(stats: UpstreamStats, id: string): CallRecord | undefined {
  return stats.calls.find((call) => call.id === id || call.keys.includes(id));
}

function emptyCounts(): Counts {
  return {
    requests: 0,
    inFlight: 0,
    inFlightPeak: 0,
    effects: 0,
    doubledEffects: 0,
    replays: 0,
    statuses: {},
    faults: {},
    promptTokens: 0,
    completionTokens: 0,
  };
}

function emptyCall(route: RouteName, id: string): Call {
  return { route, id, keys: [], attempts: 0, effects: 0, replays: 0, statuses: [], budgets: [] };
}

function increment(record: Record<string, number>, name: string): void {
  record[name] = (record[name] ?? 0) + 1;
}
