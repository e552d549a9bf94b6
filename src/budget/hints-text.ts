import { parseDate } from './hints-dates.js';
import { durationPattern, parseDuration, wholeMs } from './hints-duration.js';

const about = '(?:about |around |approximately |at least |~)?';
const again = '(?:\\s(?:again|your request|the request|this request|request))?';
const lead = [
  `\\b(?:try|retry)(?:ing)?${again}\\s(?:in|after)\\s${about}`,
  `\\bwait(?:ing)?\\s(?:for\\s)?(?:another\\s)?${about}`,
  `\\b(?:resets?|reset again|available|available again)\\s(?:in|after)\\s${about}`,
  '\\bretry[-_ ]?after["\']?\\s?[:=]\\s?["\']?',
].join('|');

const withUnit = new RegExp(`(?:${lead})(${durationPattern})`, 'i');
// A bare number counts as seconds only where nothing follows that it could be a count of.
const bare = new RegExp(`(?:${lead})(\\d+(?:\\.\\d+)?)(?=\\s?(?:$|[,;)"'}\\n]|\\.(?!\\d)))`, 'im');
const absolute =
  /\b(?:try again|retry|resets?|available)(?: again)?,? (?:at|after|on|until) (\d{4}-\d{2}-\d{2}[T ][\d:.]{8,18}(?:Z|[+-]\d{2}:\d{2}))/i;

/**
 * Returns the wait in milliseconds that a sentence asks for ("Please try again in 1m30s", "retry
 * after 26 seconds", "resets after 18h31m"), or undefined. Only wording about trying again is
 * read: "timed out after 120000 ms" is no hint.
 */
export function hintFromText(text: string, nowMs: number | undefined): number | undefined {
  const spoken = withUnit.exec(text)?.[1];
  if (spoken !== undefined) return parseDuration(spoken);
  const seconds = bare.exec(text)?.[1];
  if (seconds !== undefined) return wholeMs(Number(seconds) * 1000);
  const stamp = absolute.exec(text)?.[1];
  if (stamp === undefined || nowMs === undefined) return undefined;
  const at = parseDate(stamp, nowMs);
  return at === undefined ? undefined : wholeMs(at - nowMs);
}
