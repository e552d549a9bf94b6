import { type Fault, throwFaults } from '../budget/errors.js';
import { type Rule, rules } from '../budget/rules.js';
import { thresholdRule } from '../budget/threshold.js';
import { effects } from './effect.js';
import { isPlainObject } from './json.js';
import type { PolicyInput } from './policy.js';
import { type Shape, shapeFaults } from './shape-check.js';

const {
  nonNegativeInteger: count,
  positiveInteger: positive,
  nonNegativeNumber,
  boolean,
  text,
} = rules;
const duration: Rule = {
  text: 'must be milliseconds of at least 1',
  holds: (value) => rules.positiveNumber.holds(value) && Number(value) >= 1,
};
const percent: Rule = {
  text: 'must be a number from 0 to 100',
  holds: (value) => rules.nonNegativeNumber.holds(value) && Number(value) <= 100,
};
const oneOf = (values: readonly string[]): Rule => ({
  text: `must be one of ${values.join(', ')}`,
  holds: (value) => typeof value === 'string' && values.includes(value),
});

const decidersRule: Rule = {
  text: "must be 'anyone' or a list of names",
  holds: (value) => value === 'anyone' || (Array.isArray(value) && value.every(rules.text.holds)),
};

const callShape: Shape = {
  maxAttempts: positive,
  hintCapMs: duration,
  onUnknown: oneOf(['return', 'wait']),
  deciders: decidersRule,
  backoff: { baseMs: duration, capMs: duration, jitter: oneOf(['full', 'decorrelated', 'none']) },
};
const downstreamShape: Shape = {
  ...callShape,
  breaker: {
    consecutiveFailureThreshold: thresholdRule,
    halfOpenAfterCalls: positive,
    probeAfterMs: duration,
  },
  workerBreaker: {
    consecutiveFailureThreshold: thresholdRule,
    failurePercent: percent,
    minSamples: positive,
    windowMs: duration,
    halfOpenAfterCalls: positive,
    openForMs: duration,
  },
  ratio: { percent, windowMs: duration, minSamples: count },
  limits: {
    requestsPerMinute: positive,
    tokensPerMinute: positive,
    maxConcurrent: positive,
    pace: boolean,
  },
};
const fieldsShape: Shape = {
  ...downstreamShape,
  version: text,
  mode: oneOf(['on', 'observe', 'off']),
  globalRetryBudget: count,
  objective: oneOf(['absolute-gain', 'chain-success']),
  deadlineMs: duration,
  tokens: { target: positive, retryPercent: percent },
  interruptions: { perRun: count, perCall: count },
  compensation: { globalRetryBudget: count, deadlineMs: duration },
  maxPayloadBytes: positive,
};
const toolShape: Shape = {
  ...callShape,
  downstream: text,
  effect: oneOf(effects),
  estimate: {
    failureRate: rules.failureRate,
    attemptCostMicros: count,
    latencyMs: nonNegativeNumber,
  },
  expectedCalls: count,
  required: boolean,
};
const maps: Readonly<Record<string, Shape>> = {
  downstreams: downstreamShape,
  tools: toolShape,
  tenants: fieldsShape,
};

/**
 * Lists everything that is wrong with a policy: fields that don't exist, and values out of their
 * range. Works without zod, so that the gate can call it in every run.
 */
export function policyFaults(policy: unknown, field = 'policy'): Fault[] {
  if (!isPlainObject(policy)) return [{ field, rule: 'must be an object', value: policy }];
  const entries = Object.entries(policy);
  const fields = entries.filter(([name]) => !Object.hasOwn(maps, name));
  const layers = entries.flatMap(([name, value]) => {
    const shape = Object.hasOwn(maps, name) ? maps[name] : undefined;
    if (shape === undefined || value === undefined) return [];
    return mapFaults(value, shape, `${field}.${name}`);
  });
  return [...shapeFaults(Object.fromEntries(fields), fieldsShape, field), ...layers];
}

/**
 * Returns the policy if nothing is wrong with it.
 * @throws InvalidRequestError that lists every fault with its path
 */
export function definePolicy<P extends PolicyInput>(policy: P): P {
  throwFaults(policyFaults(policy));
  return policy;
}

function mapFaults(value: unknown, shape: Shape, field: string): Fault[] {
  if (!isPlainObject(value)) return [{ field, rule: 'must be an object', value }];
  return Object.entries(value).flatMap(([name, entry]) =>
    shapeFaults(entry, shape, `${field}.${name}`),
  );
}
