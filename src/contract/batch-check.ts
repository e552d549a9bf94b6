import type { Fault } from '../budget/errors.js';
import { faultsOf, type Rule, rules } from '../budget/rules.js';
import type { BatchInput } from './batch.js';
import { parseRanges } from './item-ranges.js';
import { isPlainObject } from './json.js';

const ranges: Rule = {
  text: 'must be numbers and ranges in rising order, such as 3,7-9,120-',
  holds: (value) => typeof value === 'string' && parseRanges(value) !== undefined,
};
const items: Rule = { text: 'must be a list', holds: Array.isArray };

const fields: { readonly [Name in keyof Required<BatchInput>]: Rule } = {
  items,
  file: rules.text,
  only: ranges,
  batchId: rules.text,
  concurrency: rules.positiveInteger,
  pauseMs: rules.nonNegativeNumber,
};

/** Lists what is wrong with the input of a batch. */
export function batchInputFaults(input: unknown): Fault[] {
  if (!isPlainObject(input)) {
    return [{ field: 'batch', rule: 'must be an object with items or file', value: input }];
  }
  const names = Object.keys(fields).join(', ');
  const strange = Object.keys(input)
    .filter((field) => !Object.hasOwn(fields, field))
    .map((field) => ({ field: `batch.${field}`, rule: `must be one of ${names}`, value: field }));
  const wrong = Object.entries(fields).flatMap(([field, rule]) =>
    input[field] === undefined ? [] : faultsOf(`batch.${field}`, input[field], rule),
  );
  const hasOne = (input.items === undefined) !== (input.file === undefined);
  const source: Fault[] = hasOne
    ? []
    : [{ field: 'batch', rule: 'must have either items or a file', value: Object.keys(input) }];
  return [...strange, ...wrong, ...source];
}
