/** Headers with lower-case names, each with all its values. */
export type HeaderRecord = Readonly<Record<string, readonly string[]>>;

/** The part of `Headers` and `Map` that is read here. */
type HeaderList = { forEach(visit: (value: unknown, name: unknown) => void): void };

const maxHeaders = 200;

function isHeaderList(value: object): value is HeaderList {
  return 'forEach' in value && typeof value.forEach === 'function' && 'get' in value;
}

function valuesOf(value: unknown): readonly string[] {
  const list = Array.isArray(value) ? value.slice(0, 20) : [value];
  return list
    .filter((item) => typeof item === 'string' || typeof item === 'number')
    .map((item) => String(item).trim().slice(0, 1000));
}

function pairsOf(headers: object): readonly (readonly [unknown, unknown])[] {
  if (Array.isArray(headers)) {
    return headers
      .filter((pair) => Array.isArray(pair))
      .map((pair: readonly unknown[]) => [pair[0], pair[1]] as const);
  }
  if (!isHeaderList(headers)) return Object.entries(headers);
  const pairs: [unknown, unknown][] = [];
  headers.forEach((value, name) => {
    pairs.push([name, value]);
  });
  return pairs;
}

/**
 * Returns headers of any make as lower-case names with their values: a plain object, a list of
 * pairs, a `Headers` or a `Map`. Never throws; what can't be read is left out.
 */
export function headerRecord(headers: unknown): HeaderRecord {
  // No prototype, so that a header called __proto__ or constructor is only a name.
  const record: Record<string, readonly string[]> = Object.create(null);
  if (typeof headers !== 'object' || headers === null) return record;
  try {
    for (const [name, value] of pairsOf(headers).slice(0, maxHeaders)) {
      if (typeof name !== 'string') continue;
      const key = name.trim().toLowerCase();
      record[key] = [...(record[key] ?? []), ...valuesOf(value)];
    }
  } catch {
    // A getter or a proxy that throws: the headers read so far still count.
  }
  return record;
}

/** Returns the values of a header in a record; empty when it is absent. */
export function headerValues(headers: HeaderRecord, name: string): readonly string[] {
  return headers[name] ?? [];
}
