import { defineUpdate, setHandler } from '@temporalio/workflow';
import { showValue } from '../budget/show-value.js';
import type { DeliveredPolicy } from '../contract/delivered-policy.js';
import { policyChangeFaults } from '../contract/message-check.js';
import { type PolicyChange, type PolicyReceipt, updates } from '../contract/messages.js';
import { callPolicy } from '../contract/policy-layers.js';
import { hasDeadline, policyOf, runSettingsOf, stateOf } from './call-plan.js';
import { refuseFaults, refuseMessage } from './message-refusal.js';
import { changePolicy } from './policy-change.js';
import type { RunContext } from './run-context.js';

const setPolicy = defineUpdate<PolicyReceipt, [PolicyChange]>(updates.setPolicy);

/** Lets a run hear that another policy is in force. */
export function hearPolicy(run: RunContext): void {
  setHandler(
    setPolicy,
    ({ policy, by, note }) => {
      const noted = note === undefined ? {} : { note };
      putInForce(run, { kind: 'update', by, at: Date.now(), ...noted, policy });
      const { version, mode } = runSettingsOf(run);
      return { version, mode };
    },
    {
      validator: (change) => check(run, change),
      description:
        'Put another policy in force: {"policy", "by", "note"?}; {"mode": "off"} lets every call through',
    },
  );
}

/** Puts a policy in force in place of the one that holds: calls that come from then on go by it. */
export function putInForce(run: RunContext, delivered: DeliveredPolicy): void {
  const before = runSettingsOf(run);
  run.delivered = delivered;
  run.settings.clear();
  run.adoptedTools.clear();
  run.runSettings = undefined;
  if (run.state === undefined) {
    // Made of what is in force, so that it shows; a run that has no governor yet makes it on first use.
    if (run.policy !== undefined || run.adopted) stateOf(run);
    return;
  }
  run.state = changePolicy(run.state, {
    before,
    after: runSettingsOf(run),
    delivered,
    hasDeadline: hasDeadline(run),
    nowMs: Date.now(),
  });
}

function check(run: RunContext, change: PolicyChange): void {
  refuseFaults(policyChangeFaults(change));
  refuseFaults(run.policyNameFaults?.(change.policy) ?? []);
  // Whoever may not decide could otherwise put a policy in force under which they may.
  const { deciders } = callPolicy(policyOf(run), { tenant: run.tenant });
  if (deciders === 'anyone' || deciders.includes(change.by)) return;
  const who = deciders.length === 0 ? 'nobody' : deciders.join(', ');
  refuseMessage(
    'notDecider',
    `The policy may be changed by ${who}, not by ${showValue(change.by)}.`,
  );
}
