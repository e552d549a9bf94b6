import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineTool } from 'holdfast/contract';
import { z } from 'zod';
import { policyNameFaults } from '../../src/contract/policy-names.js';

const charge = defineTool({
  name: 'charge_card',
  description: 'Charge a card',
  input: z.object({}),
  output: z.object({}),
  effect: 'write',
  downstream: 'payments',
});

describe('names in a policy', () => {
  it('may be those of the tools and their downstreams', () => {
    const policy = { tools: { charge_card: { maxAttempts: 1 } }, downstreams: { payments: {} } };
    assert.deepEqual(policyNameFaults(policy, [charge]), []);
  });

  it('are faults where no tool has them, since the tool that is meant goes without', () => {
    const policy = { tools: { charge_crad: {} }, downstreams: { paymets: {} } };
    assert.deepEqual(policyNameFaults(policy, [charge]), [
      {
        field: 'policy.tools.charge_crad',
        rule: 'must name one of charge_card',
        value: 'charge_crad',
      },
      { field: 'policy.downstreams.paymets', rule: 'must name one of payments', value: 'paymets' },
    ]);
  });
});
