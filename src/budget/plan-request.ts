import { type Fault, throwFaults } from './errors.js';
import type { PlanNode, PlanObjective, PlanPolicy } from './plan.js';
import { type Rule, rules } from './rules.js';
import { thresholdRule } from './threshold.js';

// The types promise these shapes; this file is where data of any shape is held against them.
type Unchecked<T> = { readonly [K in keyof T]?: unknown };

const objectives: readonly unknown[] = [
  'absolute-gain',
  'chain-success',
] satisfies readonly PlanObjective[];

const nodeRules = {
  id: rules.text,
  failureRate: rules.failureRate,
  attemptCostMicros: rules.nonNegativeInteger,
  latencyMs: rules.nonNegativeNumber,
  maxRetries: rules.nonNegativeInteger,
  required: rules.boolean,
} as const satisfies Partial<Record<keyof PlanNode, Rule>>;

const policyRules = {
  globalRetryBudget: rules.nonNegativeInteger,
  consecutiveFailureThreshold: thresholdRule,
  halfOpenAfterCalls: rules.positiveInteger,
  objective: {
    holds: (value) => value === undefined || objectives.includes(value),
    text: "must be 'absolute-gain' or 'chain-success'",
  },
} as const satisfies Partial<Record<keyof PlanPolicy, Rule>>;

// Listed once: taking the entries of the table anew for each node would cost more than the checks.
const nodeRuleList: readonly (readonly [string, Rule])[] = Object.entries(nodeRules);
const policyRuleList: readonly (readonly [string, Rule])[] = Object.entries(policyRules);

/**
 * Returns when nodes and policy keep every rule of `PlanNode` and `PlanPolicy`.
 * Throws `InvalidRequestError` with all faults: the policy's by the bare name of the field, the
 * nodes' by a path such as `nodes[2].failureRate`.
 */
export function checkPlanRequest(nodes: readonly PlanNode[], policy: PlanPolicy): void {
  throwFaults([...nodeListFaults(nodes), ...policyFaults(policy)]);
}

/**
 * Returns when the two fields that cap a node's retries keep their rules.
 * Throws `InvalidRequestError` otherwise.
 */
export function checkRetryCapRequest(node: PlanNode, policy: PlanPolicy): void {
  const faults: Fault[] = [];
  checkFields(faults, { at: 'node', value: node, list: [['maxRetries', nodeRules.maxRetries]] });
  checkFields(faults, {
    at: 'policy',
    value: policy,
    list: [['consecutiveFailureThreshold', thresholdRule]],
    prefix: '',
  });
  throwFaults(faults);
}

function policyFaults(policy: unknown): Fault[] {
  const faults: Fault[] = [];
  checkFields(faults, { at: 'policy', value: policy, list: policyRuleList, prefix: '' });
  return faults;
}

function nodeListFaults(nodes: unknown): Fault[] {
  if (!Array.isArray(nodes) || nodes.length === 0) {
    return [{ field: 'nodes', rule: 'must be a list of at least one node', value: nodes }];
  }
  const faults: Fault[] = [];
  const seen = new Set<unknown>();
  // By index: holes in the list are faults too, and callbacks skip them.
  for (let index = 0; index < nodes.length; index++) {
    const at = `nodes[${index}]`;
    const value: unknown = nodes[index];
    const node = checkFields(faults, { at, value, list: nodeRuleList });
    if (node === undefined) continue;
    checkUnique(faults, { at, id: node.id, seen });
    checkRetryRates(faults, { at, node });
  }
  return faults;
}

/** Adds a fault for each rule that a field breaks; returns the object, or undefined for others. */
function checkFields(
  faults: Fault[],
  options: {
    readonly at: string;
    readonly value: unknown;
    readonly list: readonly (readonly [string, Rule])[];
    /** Stands before each field's name; the place and a dot where it is absent. */
    readonly prefix?: string;
  },
): Unchecked<PlanNode> | undefined {
  const { at, value, list, prefix = `${at}.` } = options;
  if (!rules.object.holds(value)) {
    faults.push({ field: at, rule: rules.object.text, value });
    return undefined;
  }
  // The rule above has shown that this is an object; its fields stay unknown.
  const fields = value as Readonly<Record<string, unknown>>;
  for (const [name, rule] of list) {
    if (rule.holds(fields[name])) continue;
    faults.push({ field: prefix + name, rule: rule.text, value: fields[name] });
  }
  return fields;
}

function checkUnique(
  faults: Fault[],
  { at, id, seen }: { readonly at: string; readonly id: unknown; readonly seen: Set<unknown> },
): void {
  if (!rules.text.holds(id)) return;
  if (seen.has(id)) faults.push({ field: `${at}.id`, rule: 'must be unique', value: id });
  seen.add(id);
}

function checkRetryRates(
  faults: Fault[],
  { at, node }: { readonly at: string; readonly node: Unchecked<PlanNode> },
): void {
  const rates = node.retryFailureRates;
  if (rates === undefined) return;
  const field = `${at}.retryFailureRates`;
  if (!Array.isArray(rates)) {
    faults.push({ field, rule: 'must be a list of rates, one for each retry', value: rates });
    return;
  }
  if (rules.nonNegativeInteger.holds(node.maxRetries) && rates.length < Number(node.maxRetries)) {
    faults.push({ field, rule: 'must hold a rate for each of maxRetries retries', value: rates });
  }
  for (let index = 0; index < rates.length; index++) {
    const rate: unknown = rates[index];
    const fault = retryRateFault(rate, rates[index - 1]);
    if (fault !== undefined) faults.push({ field: `${field}[${index}]`, rule: fault, value: rate });
  }
}

function retryRateFault(rate: unknown, before: unknown): string | undefined {
  if (!rules.failureRate.holds(rate)) return rules.failureRate.text;
  const falls = rules.failureRate.holds(before) && Number(rate) < Number(before);
  return falls ? 'must not be lower than the rate of the retry before' : undefined;
}
