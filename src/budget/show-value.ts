const longestText = 60;

/**
 * Returns a value as short text for an error message: at most 60 characters, whatever it is.
 * Never throws: cycles, bigints and getters that throw are shown by their kind.
 */
export function showValue(value: unknown): string {
  return cut(describe(value));
}

function describe(value: unknown): string {
  switch (typeof value) {
    case 'string':
      // Quoting a text of megabytes only to cut it would be waste.
      return JSON.stringify(value.slice(0, longestText + 1));
    case 'bigint':
      return `${value}n`;
    case 'function':
      return 'a function';
    case 'object':
      return describeObject(value);
    default:
      return Object.is(value, -0) ? '-0' : String(value);
  }
}

function describeObject(value: object | null): string {
  try {
    return JSON.stringify(value) ?? 'an object';
  } catch {
    // A cycle, a bigint inside, or a toJSON that throws: its content can't be shown.
    return Array.isArray(value) ? 'a list' : 'an object';
  }
}

function cut(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText - 1)}…`;
}
