/** Numbers from `first` to `last`, both included; `last` may be Infinity. */
export type Range = { readonly first: number; readonly last: number };

const RANGE = /^(\d{1,15})(?:(-)(\d{1,15})?)?$/;

/**
 * Returns what a text like `3,7-9,120-` names, in rising order: single numbers, ranges, and one without an end.
 * Undefined where it is another text, or names a number twice.
 */
export function parseRanges(text: string): readonly Range[] | undefined {
  const ranges: Range[] = [];
  if (text.trim() === '') return ranges;
  for (const part of text.split(',')) {
    const range = parseRange(part.trim());
    const before = ranges.at(-1)?.last ?? 0;
    if (range === undefined || range.first <= before || range.last < range.first) return undefined;
    ranges.push(range);
  }
  return ranges;
}

function parseRange(text: string): Range | undefined {
  const [, first, dash, last] = RANGE.exec(text) ?? [];
  if (first === undefined) return undefined;
  if (dash === undefined) return { first: Number(first), last: Number(first) };
  return {
    first: Number(first),
    last: last === undefined ? Number.POSITIVE_INFINITY : Number(last),
  };
}

/** Returns ranges as a text that `parseRanges` takes. */
export function showRanges(ranges: readonly Range[]): string {
  return ranges.map(showRange).join(',');
}

function showRange({ first, last }: Range): string {
  if (first === last) return String(first);
  return Number.isFinite(last) ? `${first}-${last}` : `${first}-`;
}

/** Returns ranges with another one that shares no number with them. */
export function withRange(ranges: readonly Range[], { first, last }: Range): readonly Range[] {
  let at = ranges.length; // from the end, where numbers belong that come nearly in order
  while (at > 0 && (ranges[at - 1]?.first ?? 0) > first) at -= 1;
  const before = ranges[at - 1];
  const after = ranges[at];
  const joinsBefore = before !== undefined && before.last + 1 >= first;
  const joinsAfter = after !== undefined && last + 1 >= after.first;
  const joined: Range = {
    first: joinsBefore ? before.first : first,
    last: joinsAfter ? after.last : last,
  };
  return [
    ...ranges.slice(0, joinsBefore ? at - 1 : at),
    joined,
    ...ranges.slice(joinsAfter ? at + 1 : at),
  ];
}

/** Returns what of the ranges lies at a number or behind it. */
export function rangesFrom(ranges: readonly Range[], number: number): readonly Range[] {
  return ranges
    .filter(({ last }) => last >= number)
    .map(({ first, last }) => ({ first: Math.max(first, number), last }));
}

/** Tells whether ranges name a number. */
export function namesNumber(ranges: readonly Range[], number: number): boolean {
  return ranges.some(({ first, last }) => first <= number && number <= last);
}
