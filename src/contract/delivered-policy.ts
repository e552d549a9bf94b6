import type { Fault } from '../budget/errors.js';
import { sizeFault } from './payload.js';
import type { PolicyInput } from './policy.js';
import { policyFaults } from './policy-check.js';

/** A policy that is in force in place of the one that comes with the workflow's code, and how it came. */
export type DeliveredPolicy = { readonly policy: PolicyInput } & (
  | { readonly kind: 'client' }
  | { readonly kind: 'source'; readonly name: string }
  | {
      readonly kind: 'update';
      readonly by: string;
      /** Epoch milliseconds of the workflow's clock. */
      readonly at: number;
      readonly note?: string;
    }
);

/** Bytes that a delivered policy may have as JSON: it is carried over continue-as-new in a header. */
export const MAX_POLICY_BYTES = 16_384;

/** Lists everything that is wrong with a policy that is delivered: as in any other one, and its size. */
export function deliveredPolicyFaults(policy: unknown, field = 'policy'): Fault[] {
  const tooLarge = sizeFault(field, policy, MAX_POLICY_BYTES);
  return [...policyFaults(policy, field), ...(tooLarge === undefined ? [] : [tooLarge])];
}
