import { isPlainObject } from '../contract/json.js';
import type { RawHistory } from './read-history.js';

/**
 * Returns the history that a JSON document holds: an object with events, a list of events, or either below
 * `history`. Undefined where it holds none.
 */
export function historyIn(document: unknown): RawHistory | undefined {
  if (Array.isArray(document)) return eventsOf(document);
  if (!isPlainObject(document)) return undefined;
  const { events, history } = document;
  if (Array.isArray(events)) return eventsOf(events);
  return history === undefined ? undefined : historyIn(history);
}

function eventsOf(events: readonly unknown[]): RawHistory | undefined {
  if (events.length === 0) return undefined;
  return events.every(isPlainObject) ? { events } : undefined;
}
