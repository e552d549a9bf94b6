import type { TruncateFallback } from './fallback.js';
import { TRUNCATE_CHARACTERS } from './fallback.js';
import { isPlainObject } from './json.js';

/** Returns the beginning of the text that a truncation names; undefined where no text stands there. */
export function truncatedText({ truncate }: TruncateFallback, input: unknown): string | undefined {
  const { field, characters = TRUNCATE_CHARACTERS } = truncate;
  let at = input;
  for (const key of field.split('.')) {
    const holds = (isPlainObject(at) || Array.isArray(at)) && Object.hasOwn(at, key);
    if (!holds) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[key]; // it has this key, by the line above
  }
  return typeof at === 'string' ? firstCharacters(at, characters) : undefined;
}

/** Counts code points, as every version of Node does alike: what a replay cuts off must not depend on it. */
function firstCharacters(text: string, characters: number): string {
  let length = 0;
  let kept = 0;
  for (const character of text) {
    if (kept === characters) break;
    length += character.length;
    kept += 1;
  }
  return text.slice(0, length);
}
