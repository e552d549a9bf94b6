import { type Fault, throwFaults } from '../../budget/errors.js';
import { type PlanNode, type PlanPolicy, planPolicyDefaults } from '../../budget/plan.js';
import { checkPlanRequest } from '../../budget/plan-request.js';
import { isPlainObject } from '../../contract/json.js';
import { checkedFile, readJsonInput } from '../json-input.js';

/** A chain to plan, and what may be spent on it. */
export type PlanRequest = {
  readonly nodes: readonly PlanNode[];
  readonly policy: Required<PlanPolicy>;
};

const fileFields = ['nodes', 'policy'];
const policyFields = Object.keys(planPolicyDefaults);
const nodeFields = [
  'id',
  'failureRate',
  'attemptCostMicros',
  'latencyMs',
  'maxRetries',
  'required',
  'retryFailureRates',
] as const satisfies readonly (keyof PlanNode)[];

/**
 * Reads nodes and policy: `{"nodes": […], "policy"?: {…}}`, or a bare list of nodes. What `given` holds goes
 * before the file's policy, and defaults stand for the rest.
 * @throws UsageError where there is no such file, or it isn't JSON
 * @throws InvalidFileError with every fault of nodes and policy
 */
export async function readPlanRequest(
  file: string,
  given: Partial<PlanPolicy>,
): Promise<PlanRequest> {
  const json = await readJsonInput(file);
  return checkedFile(file, () => planRequestOf(json, given));
}

function planRequestOf(json: unknown, given: Partial<PlanPolicy>): PlanRequest {
  const document: unknown = Array.isArray(json) ? { nodes: json } : json;
  if (!isPlainObject(document)) {
    const rule = 'must be {"nodes": […], "policy"?: {…}} or a list of nodes';
    throwFaults([{ field: 'the plan', rule, value: document }]);
    return planRequestOf({}, given); // never reached: one fault is enough to throw
  }
  const { nodes, policy = {} } = document;
  throwFaults([
    ...strangers(document, fileFields, ''),
    ...strangers(policy, policyFields, 'policy.'),
    ...(Array.isArray(nodes) ? nodes : []).flatMap((node, index) =>
      strangers(node, nodeFields, `nodes[${index}].`),
    ),
  ]);
  // what isn't an object, or holds other than numbers, checkPlanRequest refuses
  const whole = isPlainObject(policy) ? { ...planPolicyDefaults, ...policy, ...given } : policy;
  const request = { nodes, policy: whole } as PlanRequest;
  checkPlanRequest(request.nodes, request.policy);
  return request;
}

/** A field that doesn't exist is a typo that would leave the one that is meant at its default. */
function strangers(value: unknown, known: readonly string[], at: string): Fault[] {
  if (!isPlainObject(value)) return [];
  return Object.keys(value)
    .filter((field) => !known.includes(field))
    .map((field) => ({
      field: `${at}${field}`,
      rule: `must be one of ${known.join(', ')}`,
      value: field,
    }));
}
