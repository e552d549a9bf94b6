import type { CallCounters } from './call-stats.js';
import type { RouteName } from './faults.js';

/** One request, as the upstream saw it. Times are epoch milliseconds. */
export type RequestRecord = {
  readonly route: RouteName;
  /** `X-Lab-Call`, else `Idempotency-Key`; null where the request has neither. */
  readonly callId: string | null;
  /** Counted from 1 in the logical call. */
  readonly attempt: number;
  readonly arrivedAt: number;
  /** When its connection was free again; null while it is held. */
  readonly leftAt: number | null;
  /** How it ended, as the counts name it; null while it is served. */
  readonly status: string | null;
  /** Injected faults by kind, `delay` among them. */
  readonly faults: readonly string[];
  /** Whether something happened in the world. */
  readonly hadEffect: boolean;
  /** Tokens of the chat's answer, whether it arrived or not. */
  readonly tokens: number;
};

/** What `GET /requests` shows. */
export type RequestLog = {
  /** In the order of arrival, the first {@link keptRequests}. */
  readonly requests: readonly RequestRecord[];
  /** Requests beyond those. */
  readonly leftOut: number;
};

/** Requests that a log keeps, so that a long run doesn't fill the memory. */
export const keptRequests = 200_000;

type Writable = {
  -readonly [K in keyof RequestRecord]: K extends 'faults' ? string[] : RequestRecord[K];
};

/** Returns counters that count as the given ones do, and keep a record of each request beside it. */
export function loggedCounters(
  counters: CallCounters,
  now: () => number = Date.now,
): CallCounters & { log(): RequestLog } {
  const records: Writable[] = [];
  let arrived = 0;
  return {
    ...counters,
    log: () => structuredClone({ requests: records, leftOut: arrived - records.length }),
    arrive(facts) {
      const counter = counters.arrive(facts);
      const record: Writable = {
        route: facts.route,
        callId: facts.callId ?? null,
        attempt: counter.attempt,
        arrivedAt: now(),
        leftAt: null,
        status: null,
        faults: [],
        hadEffect: false,
        tokens: 0,
      };
      arrived += 1;
      if (records.length < keptRequests) records.push(record);
      return {
        attempt: counter.attempt,
        replay: () => counter.replay(),
        effect(body) {
          record.hadEffect = true;
          counter.effect(body);
        },
        fault(kind) {
          record.faults.push(kind);
          counter.fault(kind);
        },
        tokens(usage) {
          record.tokens += usage.promptTokens + usage.completionTokens;
          counter.tokens(usage);
        },
        end(status) {
          record.status ??= status;
          counter.end(status);
        },
        leave() {
          record.leftAt ??= now();
          counter.leave();
        },
      };
    },
  };
}
