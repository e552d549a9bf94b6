/** Milliseconds in which the figures of a limit hold: `perMinute`. */
export const windowMs = 60_000;

/** What one admission spent. */
export type Spent = { readonly at: number; readonly requests: number; readonly tokens: number };

/** The sum of what was spent. */
export type Amount = { readonly requests: number; readonly tokens: number };

/** What was spent in the last minute, to the millisecond. */
export type RollingWindow = {
  readonly used: () => Amount;
  /** Oldest first. */
  readonly entries: () => readonly Spent[];
  /** Notes one request; the times of several never decrease. */
  readonly spend: (at: number, tokens: number) => Spent;
  /** Corrects what was spent. Returns false where the window holds it no longer: nothing changes then. */
  readonly change: (spent: Spent, amount: Amount) => boolean;
  /** Forgets what was spent a minute ago. */
  readonly expire: (now: number) => void;
  /** Returns when so much will be forgotten; infinity where the window doesn't hold so much. */
  readonly freedAt: (amount: Amount) => number;
};

/** Forgotten entries that are kept before the list is cut: cutting at each would copy the list each time. */
const keptBehind = 1_024;

type Entry = { readonly at: number; requests: number; tokens: number; isHeld: boolean };

/** Returns an empty window. */
export function createRollingWindow(): RollingWindow {
  const log: Entry[] = [];
  let oldest = 0;
  let requests = 0;
  let tokens = 0;

  return {
    used: () => ({ requests, tokens }),
    entries: () => log.slice(oldest),
    spend: (at, spentTokens) => {
      const entry = { at, requests: 1, tokens: spentTokens, isHeld: true };
      log.push(entry);
      requests += 1;
      tokens += spentTokens;
      return entry;
    },
    change: (spent, amount) => {
      const entry = spent as Entry; // `spend` alone makes what is handed in
      if (!entry.isHeld) return false;
      requests += amount.requests - entry.requests;
      tokens += amount.tokens - entry.tokens;
      entry.requests = amount.requests;
      entry.tokens = amount.tokens;
      return true;
    },
    expire: (now) => {
      for (let entry = log[oldest]; isOver(entry, now); entry = log[oldest]) {
        entry.isHeld = false;
        requests -= entry.requests;
        tokens -= entry.tokens;
        oldest += 1;
      }
      if (oldest < keptBehind || oldest * 2 < log.length) return;
      log.splice(0, oldest);
      oldest = 0;
    },
    freedAt: (amount) => {
      let freedRequests = 0;
      let freedTokens = 0;
      for (let index = oldest; index < log.length; index += 1) {
        const entry = log[index];
        if (entry === undefined) break; // the index stays below the length
        freedRequests += entry.requests;
        freedTokens += entry.tokens;
        const isEnough = freedRequests >= amount.requests && freedTokens >= amount.tokens;
        if (isEnough) return entry.at + windowMs;
      }
      return Number.POSITIVE_INFINITY;
    },
  };
}

function isOver(entry: Entry | undefined, now: number): entry is Entry {
  return entry !== undefined && entry.at + windowMs <= now;
}
