import { asList, asMessage, asNumber } from '../../history/raw-values.js';

/** Says where a history isn't whole: Temporal's core would panic on it, and never answer. */
export function gapIn(history: object): string | undefined {
  const ids = asList(asMessage(history).events).map((event) => asNumber(asMessage(event).eventId));
  const first = ids.findIndex((id, index) => id !== index + 1);
  return first < 0 ? undefined : `it isn't whole: event ${first + 1} is missing`;
}
