import type { z } from 'zod';
import { type Fault, throwFaults } from '../../budget/errors.js';

/**
 * Returns the parsed options, defaults filled in.
 * Throws `InvalidRequestError` that names every fault by field, rule and value.
 */
export function parseOptions<Schema extends z.ZodType>(request: {
  readonly schema: Schema;
  readonly input: unknown;
  /** What the fields stand in, such as `faults`; empty for the options themselves. */
  readonly root: string;
}): z.output<Schema> {
  const { schema, input, root } = request;
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(
    (issue): Fault => ({
      field: fieldOf(root, issue.path),
      rule: ruleOf(issue),
      value: valueAt(input, issue.path),
    }),
  );
  throwFaults(faults);
  throw parsed.error; // unreachable: a failed parse has at least one issue
}

function ruleOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be of type ${issue.expected}`;
    case 'too_small':
      return `must be at least ${issue.minimum}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'unrecognized_keys':
      return `must not have the unknown field ${issue.keys.join(', ')}`;
    case 'invalid_union':
      return 'must be one of the known kinds';
    default:
      return issue.message;
  }
}

function fieldOf(root: string, path: readonly PropertyKey[]): string {
  const field = path.reduce<string>((before, step) => {
    if (typeof step === 'number') return `${before}[${step}]`;
    return before === '' ? String(step) : `${before}.${String(step)}`;
  }, root);
  return field === '' ? 'options' : field;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      // The path was walked by the parser; where a field is missing the rest is undefined.
      typeof value === 'object' && value !== null
        ? (value as Readonly<Record<PropertyKey, unknown>>)[step]
        : undefined,
    input,
  );
}
