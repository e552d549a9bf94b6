import { getClient } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { describeFaults, type Fault, InvalidRequestError, throwFaults } from '../budget/errors.js';
import { showValue } from '../budget/show-value.js';
import { deliveredPolicyFaults } from '../contract/delivered-policy.js';
import type { PolicyInput } from '../contract/policy.js';
import type { Spent } from '../contract/spent.js';
import type { PolicySource } from './policy-source.js';
import { createReadItems, type ReadItemsActivity } from './read-items.js';
import { readSpent, unknownWorkflow } from './spent-budget.js';

/** Activities that every worker of holdfast has, by their types. */
export type BuiltInActivities = {
  readonly holdfast_spent_budget: (workflowId: string) => Promise<Spent>;
  readonly holdfast_load_policy: (name: string) => Promise<PolicyInput>;
  readonly holdfast_read_items: ReadItemsActivity;
};

/** What a worker gives its built-in activities; one that goes without says so where it is asked. */
export type BuiltInParts = {
  readonly policies: PolicySource | undefined;
  readonly batchFolder: string | undefined;
};

/** Makes holdfast's own activities. */
export function builtInActivities({ policies, batchFolder }: BuiltInParts): BuiltInActivities {
  return {
    holdfast_spent_budget: async (workflowId) => {
      const spent = await readSpent(getClient(), workflowId);
      if (spent === undefined) throw refusal([unknownWorkflow(workflowId)]);
      return spent;
    },
    holdfast_load_policy: async (name) => {
      const rule = 'needs a source at the worker: holdfast({ policies })';
      if (policies === undefined) throw refusal([{ field: 'policyFrom', rule, value: name }]);
      return loaded(policies, name);
    },
    holdfast_read_items: createReadItems(batchFolder),
  };
}

async function loaded(policies: PolicySource, name: string): Promise<PolicyInput> {
  try {
    const policy = await policies.load(name);
    throwFaults(deliveredPolicyFaults(policy));
    return policy;
  } catch (error) {
    // What is wrong with a policy stays wrong; a source that can't be reached is asked again.
    if (error instanceof InvalidRequestError) throw refusal(error.faults);
    throw error;
  }
}

function refusal(faults: readonly Fault[]): ApplicationFailure {
  const shown = faults.map((fault) => ({ ...fault, value: showValue(fault.value) }));
  return ApplicationFailure.create({
    type: 'invalid-request',
    message: describeFaults(faults),
    nonRetryable: true,
    details: [{ faults: shown }],
  });
}
