import type { Fault } from '../budget/errors.js';
import type { Rule } from '../budget/rules.js';
import { isPlainObject } from './json.js';

/** The fields that a record may have, and what each must be. */
export type Shape = { readonly [field: string]: Rule | Shape };

/** Lists everything that is wrong with a record: fields that don't exist, and values out of their range. */
export function shapeFaults(value: unknown, shape: Shape, field: string): Fault[] {
  if (!isPlainObject(value)) return [{ field, rule: 'must be an object', value }];
  return Object.entries(value).flatMap(([name, entry]) => fieldFaults(name, entry, shape, field));
}

function fieldFaults(name: string, value: unknown, shape: Shape, parent: string): Fault[] {
  const field = `${parent}.${name}`;
  const rule = Object.hasOwn(shape, name) ? shape[name] : undefined;
  if (rule === undefined) {
    return [{ field, rule: `must be one of ${Object.keys(shape).join(', ')}`, value: name }];
  }
  if (value === undefined) return [];
  if (!isRule(rule)) return shapeFaults(value, rule, field);
  return rule.holds(value) ? [] : [{ field, rule: rule.text, value }];
}

function isRule(entry: Rule | Shape): entry is Rule {
  return typeof entry.holds === 'function';
}
