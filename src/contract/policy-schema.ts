import { z } from 'zod';
import type { PolicyInput } from './policy.js';
import { policyFaults } from './policy-check.js';

/** The policy as a zod schema, for programs that read one from a file: the same rules, the same messages. */
export const policySchema = z.unknown().transform((value, context): PolicyInput => {
  for (const fault of policyFaults(value)) {
    const path = fault.field.split('.').slice(1);
    context.issues.push({ code: 'custom', message: fault.rule, path, input: fault.value });
  }
  return value as PolicyInput; // policyFaults has proved it, or the issues above refuse it
});
