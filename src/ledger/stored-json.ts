import { type Fault, throwFaults } from '../budget/errors.js';
import { isJsonAtTop } from '../contract/json.js';

/**
 * Returns a value as the JSON text that is stored. Properties that are undefined are left out, as in
 * every message that Temporal carries.
 * @throws InvalidRequestError where JSON would lose or change something else
 */
export function toStoredJson(field: string, value: unknown): string {
  const faults: Fault[] = [];
  const refuse = (rule: string, refused: unknown): void => {
    faults.push({ field, rule, value: refused });
  };
  let text: string | undefined;
  try {
    text = JSON.stringify(value, function (this: unknown, name: string, inner: unknown) {
      const isLeftOut = inner === undefined && !Array.isArray(this);
      if (!isLeftOut && !isJsonAtTop(inner)) {
        const where = name === '' ? 'be JSON' : `hold JSON only, also in ${name}`;
        refuse(`must ${where}`, inner);
      }
      return inner;
    });
  } catch (error) {
    // a cycle, a bigint, or a toJSON that throws
    refuse(`must be JSON (${error instanceof Error ? error.message : String(error)})`, value);
  }
  if (text === undefined && faults.length === 0) refuse('must be JSON', value);
  throwFaults(faults);
  return text ?? '';
}

/** Returns a free text as both stores can keep it: PostgreSQL refuses the character NUL. */
export function toStoredText(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}
