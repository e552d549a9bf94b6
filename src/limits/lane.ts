import { createForecast } from './forecast.js';
import type { LimitValues } from './limit-values.js';
import { type Amount, createRollingWindow, type Spent, windowMs } from './rolling-window.js';

/** Milliseconds for which a place is kept after its caller was to come back. */
export const keptPlaceMs = 30_000;

/** What somebody who waits is told, once. */
export type Told =
  | { readonly kind: 'admitted'; readonly spent: Spent }
  | { readonly kind: 'later'; readonly waitMs: number }
  /** The limit was lowered below what it asks for. */
  | { readonly kind: 'never-fits'; readonly tokensPerMinute: number }
  | { readonly kind: 'closed' };

/** Somebody who waits in a lane. */
export type Waiter = {
  /** After that it is told to come back. */
  readonly deadlineAt: number;
  readonly tell: (told: Told) => void;
};

/** A request for a turn: it takes the place that it was given earlier under its ticket, or the last one. */
export type Ask = { readonly tokens: number; readonly ticket: string; readonly waiter: Waiter };

/**
 * The queue before one limit. A place whose turn has come holds its capacity until it is picked up: at once by who is
 * here, later by who was told to come back. So nobody waits for somebody who is away, and nobody loses a turn.
 * Callers pass the time, which never decreases; `tell` is called before a function returns.
 */
export type Lane = {
  /** Replaces the limit's figures. */
  readonly setLimits: (limits: LimitValues) => void;
  /** Spends at once where nobody has a place and there is room; else undefined. */
  readonly spendNow: (now: number, tokens: number) => Spent | undefined;
  readonly ask: (now: number, ask: Ask) => void;
  /** Gives up a place; without one under that ticket nothing happens. */
  readonly leave: (now: number, ticket: string) => void;
  /** Corrects what was spent to so many tokens; undefined takes the request back. */
  readonly correct: (now: number, spent: Spent, tokens: number | undefined) => void;
  /** Gives turns to all whose time has come. */
  readonly advance: (now: number) => void;
  /** When `advance` has something to do for somebody who is here; infinity where it hasn't. */
  readonly wakeAt: () => number;
  /** Tells whether nothing would be lost with the lane. */
  readonly isIdle: (now: number) => boolean;
  readonly close: () => void;
};

type Place = {
  tokens: number;
  /** Its turn has come: its capacity is kept. */
  isHeld: boolean;
  /** Undefined while its caller is away. */
  waiter: Waiter | undefined;
  /** When a caller who is away was told to come back. */
  backAt: number;
  /** When its turn comes, where that was foretold. */
  turnAt: number | undefined;
};

/** Returns an empty lane. */
export function createLane(initialLimits: LimitValues): Lane {
  const window = createRollingWindow();
  const places = new Map<string, Place>();
  let limits = initialLimits;
  let heldRequests = 0;
  let heldTokens = 0;
  let waiters = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  /** When the first place without a turn gets one, if nothing else happens. */
  let turnAt = Number.POSITIVE_INFINITY;
  /** The first deadline of a waiter, or end of a kept place; it may have passed with its place. */
  let endsAt = Number.POSITIVE_INFINITY;
  let forecast: ReturnType<typeof createForecast> | undefined;

  const setHeld = (place: Place, isHeld: boolean): void => {
    if (place.isHeld === isHeld) return;
    place.isHeld = isHeld;
    heldRequests += isHeld ? 1 : -1;
    heldTokens += isHeld ? place.tokens : -place.tokens;
  };
  const tell = (place: Place, told: Told): void => {
    const { waiter } = place;
    if (waiter === undefined) return;
    place.waiter = undefined;
    waiters -= 1;
    waiter.tell(told);
  };
  const remove = (ticket: string, place: Place): void => {
    setHeld(place, false);
    places.delete(ticket);
    forecast = undefined;
  };
  const missing = (wanted: number): Amount => {
    const { requests, tokens } = window.used();
    return {
      requests: requests + heldRequests + 1 - limits.requests,
      tokens: tokens + heldTokens + wanted - limits.tokens,
    };
  };
  const pickUp = (ticket: string, place: Place, now: number): void => {
    remove(ticket, place);
    lastAt = now;
    tell(place, { kind: 'admitted', spent: window.spend(now, place.tokens) });
  };
  /** Takes turns back where more was used than was reserved, or the limit was lowered: they no longer fit. */
  const takeTurnsBack = (): void => {
    const { requests, tokens } = window.used();
    const fits = requests + heldRequests <= limits.requests && tokens + heldTokens <= limits.tokens;
    if (fits || heldRequests === 0) return;
    for (const place of places.values()) setHeld(place, false);
  };
  /** Gives turns in order; returns when the next one is due. */
  const giveTurns = (now: number): number => {
    takeTurnsBack();
    for (const [ticket, place] of places) {
      if (place.tokens > limits.tokens) {
        remove(ticket, place);
        tell(place, { kind: 'never-fits', tokensPerMinute: limits.tokens });
        continue;
      }
      if (!place.isHeld) {
        const lack = missing(place.tokens);
        if (!isNothing(lack)) return window.freedAt(lack);
        setHeld(place, true);
      }
      if (place.waiter === undefined) continue;
      const pacedAt = lastAt + limits.intervalMs;
      if (now < pacedAt) return pacedAt;
      pickUp(ticket, place, now);
    }
    return Number.POSITIVE_INFINITY;
  };
  const foretell = (now: number, place: Place): number => {
    const [first] = places.values();
    const isStale = first?.turnAt !== undefined && first.turnAt <= now; // its caller is late
    if (forecast === undefined || isStale) {
      forecast = createForecast({ now, spent: window.entries(), limits, lastAt });
      for (const each of places.values()) each.turnAt = forecast(each);
    }
    place.turnAt ??= forecast(place);
    return place.turnAt;
  };
  const sendAway = (now: number, place: Place): void => {
    const waitMs = Math.max(1, Math.ceil(foretell(now, place) - now));
    place.backAt = now + waitMs;
    endsAt = Math.min(endsAt, place.backAt + keptPlaceMs);
    tell(place, { kind: 'later', waitMs });
  };
  const dropLapsed = (now: number): void => {
    for (const [ticket, place] of places) {
      if (place.waiter === undefined && place.backAt + keptPlaceMs <= now) remove(ticket, place);
    }
  };
  const sendLateAway = (now: number): void => {
    endsAt = Number.POSITIVE_INFINITY;
    for (const place of places.values()) {
      if (place.waiter !== undefined && place.waiter.deadlineAt <= now) sendAway(now, place);
      endsAt = Math.min(endsAt, place.waiter?.deadlineAt ?? place.backAt + keptPlaceMs);
    }
  };
  const advance = (now: number): void => {
    window.expire(now);
    const hasEnds = now >= endsAt;
    if (hasEnds) dropLapsed(now);
    turnAt = giveTurns(now);
    if (hasEnds) sendLateAway(now);
  };
  const takePlace = (now: number, { ticket, tokens, waiter }: Ask): Place => {
    const place = places.get(ticket);
    if (place === undefined) {
      const last = { tokens, isHeld: false, waiter, backAt: now, turnAt: undefined };
      places.set(ticket, last);
      return last;
    }
    tell(place, { kind: 'later', waitMs: 1 }); // whoever holds the ticket too
    if (place.backAt > now) forecast = undefined; // it needn't be waited for so long
    place.backAt = now;
    if (place.tokens !== tokens) {
      setHeld(place, false);
      place.tokens = tokens;
      forecast = undefined;
    }
    place.waiter = waiter;
    return place;
  };

  return {
    setLimits: (next) => {
      if (areEqual(limits, next)) return;
      limits = next;
      forecast = undefined;
    },
    spendNow: (now, tokens) => {
      window.expire(now);
      const isFree = places.size === 0 && now >= lastAt + limits.intervalMs;
      if (!isFree || !isNothing(missing(tokens))) return undefined;
      lastAt = now;
      return window.spend(now, tokens);
    },
    ask: (now, ask) => {
      if (now >= endsAt) dropLapsed(now); // its own place may be among them
      const place = takePlace(now, ask);
      waiters += 1;
      advance(now);
      if (place.waiter !== ask.waiter) return;
      if (foretell(now, place) > ask.waiter.deadlineAt) sendAway(now, place);
      else endsAt = Math.min(endsAt, ask.waiter.deadlineAt);
    },
    leave: (now, ticket) => {
      const place = places.get(ticket);
      if (place === undefined) return;
      if (place.waiter !== undefined) waiters -= 1;
      remove(ticket, place);
      advance(now);
    },
    correct: (now, spent, tokens) => {
      window.expire(now);
      const amount = { requests: tokens === undefined ? 0 : 1, tokens: tokens ?? 0 };
      if (!window.change(spent, amount)) return;
      forecast = undefined;
      advance(now);
    },
    advance,
    wakeAt: () => (waiters === 0 ? Number.POSITIVE_INFINITY : Math.min(turnAt, endsAt)),
    isIdle: (now) => places.size === 0 && lastAt + windowMs <= now,
    close: () => {
      for (const place of places.values()) tell(place, { kind: 'closed' });
      places.clear();
    },
  };
}

function isNothing({ requests, tokens }: Amount): boolean {
  return requests <= 0 && tokens <= 0;
}

function areEqual(one: LimitValues, other: LimitValues): boolean {
  return (
    one.requests === other.requests &&
    one.tokens === other.tokens &&
    one.intervalMs === other.intervalMs
  );
}
