import type { Fault } from '../budget/errors.js';
import { callName, type GovernedTool } from './governed-tool.js';
import type { PolicyInput } from './policy.js';

/**
 * Lists the names in a policy that no tool has: a typo there would silently take a limit, or the word
 * that a call is a write, off the tool that is meant.
 */
export function policyNameFaults(policy: PolicyInput, tools: readonly GovernedTool[]): Fault[] {
  return [
    ...strangers('tools', policy.tools, new Set(tools.map(callName))),
    ...strangers('downstreams', policy.downstreams, new Set(tools.map((one) => one.downstream))),
  ];
}

function strangers(
  layer: 'tools' | 'downstreams',
  named: Readonly<Record<string, unknown>> | undefined,
  known: ReadonlySet<string>,
): Fault[] {
  const rule = `must name one of ${[...known].join(', ')}`;
  return Object.keys(named ?? {})
    .filter((name) => !known.has(name))
    .map((name) => ({ field: `policy.${layer}.${name}`, rule, value: name }));
}
