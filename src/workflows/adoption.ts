import {
  type ActivityInput,
  type WorkflowInterceptorsFactory,
  workflowInfo,
} from '@temporalio/workflow';
import { InvalidRequestError } from '../budget/errors.js';
import { type Estimate, type GovernedTool, toolDefaults } from '../contract/governed-tool.js';
import { fingerprint, idempotencyKey, jsonFault } from '../contract/keys.js';
import { overlayFields } from '../contract/overlay-fields.js';
import { sizeFault } from '../contract/payload.js';
import type { PolicyInput } from '../contract/policy.js';
import { policyFaults } from '../contract/policy-check.js';
import { callPolicy } from '../contract/policy-layers.js';
import { isInWorkflowSandbox } from '../contract/sandbox.js';
import { runSettingsOf } from './call-plan.js';
import { randomIdFault } from './child-workflows.js';
import type { GateCall } from './gate-call.js';
import { occurrenceOf } from './occurrence.js';
import { refusable } from './refusal.js';
import { type RunContext, runContext } from './run-context.js';
import { type CallIdentity, ownMaxRetries } from './schedule.js';

/** What a policy module exports as `interceptors`; the worker reads the policy's names off it. */
export type AdoptionFactory = WorkflowInterceptorsFactory & { readonly policy: PolicyInput };

/**
 * Governs the plain activity calls of every workflow in the bundle. A policy module exports what this
 * returns as `interceptors`, and the plugin puts that module into the bundle.
 * @throws InvalidRequestError that lists every fault of the policy; in the sandbox the run fails with it
 */
export function governActivities(policy: PolicyInput): AdoptionFactory {
  const [first, ...others] = policyFaults(policy);
  const invalid = first === undefined ? undefined : new InvalidRequestError([first, ...others]);
  if (invalid !== undefined && !isInWorkflowSandbox()) throw invalid;
  const factory: WorkflowInterceptorsFactory = () => {
    const run = runContext();
    run.invalid = invalid;
    if (invalid !== undefined) return {};
    run.adoption = policy;
    for (const [name, settings] of Object.entries(policy.tools ?? {})) {
      if (settings.expectedCalls !== undefined) run.tools.set(name, adoptedTool(policy, name));
    }
    return {};
  };
  return Object.assign(factory, { policy });
}

/** Returns the gate call for a plain activity call; undefined where the run doesn't govern those. */
export function adoptedCall(input: ActivityInput): GateCall | undefined {
  const run = runContext();
  const policy = run.delivered?.policy ?? run.adoption ?? {};
  if (run.adoption === undefined || !run.adopted) return undefined;
  if (policy.mode === 'off' || runSettingsOf(run).mode === 'off') return undefined;
  if (run.state?.mode === 'off') return undefined;
  const known = knownTool(run, policy, input.activityType);
  const { tool, identity, fault } = plainCall(run, known, input);
  const called = known.effect === 'read' ? onceOnly(tool, input, policy) : tool;
  return { tool: called, identity, fault, adopted: true };
}

function plainCall(
  run: RunContext,
  tool: GovernedTool,
  input: ActivityInput,
): Pick<GateCall, 'tool' | 'identity' | 'fault'> {
  const field = `${tool.name}.arguments`;
  const { maxPayloadBytes } = runSettingsOf(run);
  const tooLarge = refusable(run, sizeFault(field, input.args, maxPayloadBytes));
  if (tool.effect === 'read') return { tool, identity: unclaimed, fault: tooLarge };
  const notJson = jsonFault(field, input.args);
  const fault = randomIdFault() ?? refusable(run, notJson) ?? tooLarge;
  const isKeyed = fault === undefined && notJson === undefined;
  return { tool, identity: isKeyed ? identityOf(input) : unclaimed, fault };
}

function knownTool(run: RunContext, policy: PolicyInput, name: string): GovernedTool {
  const known = run.adoptedTools.get(name) ?? adoptedTool(policy, name, run.tenant);
  run.adoptedTools.set(name, known);
  return known;
}

/**
 * A call whose own options allow one attempt only must never run twice: it is a write, unless the policy
 * says otherwise, and isn't scheduled again when its worker is lost.
 */
function onceOnly(
  tool: GovernedTool,
  { options }: ActivityInput,
  policy: PolicyInput,
): GovernedTool {
  const tools = policy.tools ?? {};
  const isNamed = Object.hasOwn(tools, tool.name) && tools[tool.name]?.effect !== undefined;
  return isNamed || ownMaxRetries(options) > 0 ? tool : { ...tool, effect: 'write' };
}

function adoptedTool(policy: PolicyInput, name: string, tenant?: string): GovernedTool {
  const tools = policy.tools ?? {};
  const settings = Object.hasOwn(tools, name) ? tools[name] : undefined;
  const downstream = settings?.downstream ?? name;
  return {
    name,
    downstream,
    effect: settings?.effect ?? 'read',
    estimate: overlayFields<Estimate>(toolDefaults.estimate, settings?.estimate),
    maxRetries: callPolicy(policy, { downstream, tool: name, tenant }).maxAttempts - 1,
    expectedCalls: settings?.expectedCalls ?? 0,
    required: settings?.required ?? true,
    alternatives: [],
    keyWindowMs: toolDefaults.keyWindowMs,
    fresh: toolDefaults.fresh,
  };
}

/** The policy names it a write: its key is made of its arguments, which are JSON. */
function identityOf({ activityType, args, options }: ActivityInput): CallIdentity {
  const { namespace, workflowId } = workflowInfo();
  const occurrence = occurrenceOf(options);
  const parts = { namespace, workflowId, tool: activityType, identity: args, occurrence };
  return { ...unclaimed, key: idempotencyKey(parts), fingerprint: fingerprint(args) };
}

const unclaimed: CallIdentity = {
  key: null,
  fingerprint: null,
  ownIdentity: false,
  approval: null,
};
