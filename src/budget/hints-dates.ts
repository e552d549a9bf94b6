const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const dayMs = 86_400_000;

const fixdate =
  /^[a-z]{3,9},? (\d{1,2}) ([a-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) (?:GMT|UTC|\+0000)$/i;
const rfc850 = /^[a-z]{6,9}, (\d{2})-([a-z]{3})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) GMT$/i;
const asctime = /^[a-z]{3} ([a-z]{3}) {1,2}(\d{1,2}) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/i;
const rfc3339 =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?(?:Z|([+-])(\d{2}):(\d{2}))$/i;

type Civil = {
  readonly year: number;
  /** 1 to 12; 0 when the name is none. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
};

/** Days since 1970-01-01 of a proleptic Gregorian date, counted in eras of 400 years. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  return era * 146_097 + yearOfEra * 365 + leapDays + dayOfYear - 719_468;
}

function daysInMonth(year: number, month: number): number {
  const next = month === 12 ? daysSinceEpoch(year + 1, 1, 1) : daysSinceEpoch(year, month + 1, 1);
  return next - daysSinceEpoch(year, month, 1);
}

function toEpochMs({ year, month, day, hour, minute, second }: Civil): number | undefined {
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const seconds = hour * 3600 + minute * 60 + second;
  return daysSinceEpoch(year, month, day) * dayMs + seconds * 1000;
}

function monthNumber(name: string | undefined): number {
  return months.indexOf((name ?? '').toLowerCase()) + 1;
}

/** RFC 9110, 5.6.7: two digits that lie over 50 years ahead mean the last century. */
function fullYear(twoDigits: number, nowMs: number): number {
  const thisYear = 1970 + Math.floor(nowMs / (365.2425 * dayMs));
  const year = Math.floor(thisYear / 100) * 100 + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}

/**
 * Returns the epoch milliseconds of an HTTP date in any of its three forms (RFC 9110, 5.6.7),
 * or undefined. `nowMs` settles the century of the obsolete two-digit year.
 */
export function parseHttpDate(text: string, nowMs = 0): number | undefined {
  const fixed = fixdate.exec(text);
  if (fixed !== null) {
    const [, day, month, year, hour, minute, second] = fixed;
    return readDate({ year: Number(year), month, day, hour, minute, second });
  }
  const old = rfc850.exec(text);
  if (old !== null) {
    const [, day, month, year, hour, minute, second] = old;
    return readDate({ year: fullYear(Number(year), nowMs), month, day, hour, minute, second });
  }
  const unix = asctime.exec(text);
  if (unix === null) return undefined;
  const [, month, day, hour, minute, second, year] = unix;
  return readDate({ year: Number(year), month, day, hour, minute, second });
}

/** The parts of an HTTP date as its pattern found them; the year is settled already. */
type DateTexts = {
  readonly year: number;
  readonly month: string | undefined;
  readonly day: string | undefined;
  readonly hour: string | undefined;
  readonly minute: string | undefined;
  readonly second: string | undefined;
};

function readDate({ year, month, day, hour, minute, second }: DateTexts): number | undefined {
  return toEpochMs({
    year,
    month: monthNumber(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
  });
}

/** Returns the epoch milliseconds of an RFC 3339 time (a zone is required), or undefined. */
export function parseRfc3339(text: string): number | undefined {
  const found = rfc3339.exec(text);
  if (found === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction, sign, zoneHour, zoneMinute] = found;
  const at = toEpochMs({
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
  });
  if (at === undefined) return undefined;
  const offsetMs = (Number(zoneHour ?? 0) * 60 + Number(zoneMinute ?? 0)) * 60_000;
  const fractionMs = Math.floor(Number(fraction ?? 0) * 1000);
  return at + fractionMs - (sign === '-' ? -offsetMs : offsetMs);
}

/** Returns the epoch milliseconds of an HTTP date or an RFC 3339 time, or undefined. */
export function parseDate(text: string, nowMs?: number): number | undefined {
  return parseHttpDate(text, nowMs) ?? parseRfc3339(text);
}
