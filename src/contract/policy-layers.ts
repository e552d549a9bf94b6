import { overlayFields } from './overlay-fields.js';
import {
  type CallPolicy,
  type DownstreamPolicy,
  type PolicyFields,
  type PolicyInput,
  policyDefaults,
  type RunPolicy,
} from './policy.js';

/** What a place in the layers is asked for. */
export type PolicyPlace = {
  readonly tenant?: string | undefined;
  readonly downstream?: string | undefined;
  readonly tool?: string | undefined;
};

/** Returns what holds for a whole run of a tenant. */
export function runPolicy(policy: PolicyInput, tenant?: string): RunPolicy {
  return resolve(policy, { tenant });
}

/** Returns what holds for a downstream, the same for each of its tools: they share one breaker. */
export function downstreamPolicy(
  policy: PolicyInput,
  place: { readonly downstream: string; readonly tenant?: string | undefined },
): DownstreamPolicy {
  return resolve(policy, { downstream: place.downstream, tenant: place.tenant });
}

/** Returns what holds for one call. */
export function callPolicy(policy: PolicyInput, place: PolicyPlace): CallPolicy {
  return resolve(policy, place);
}

function resolve(policy: PolicyInput, place: PolicyPlace): RunPolicy & DownstreamPolicy {
  const layers: readonly (PolicyFields | undefined)[] = [
    policy,
    own(policy.downstreams, place.downstream),
    own(policy.tools, place.tool),
    own(policy.tenants, place.tenant),
  ];
  let resolved = policyDefaults;
  for (const layer of layers) if (layer !== undefined) resolved = overlay(resolved, layer);
  return resolved;
}

function own<T>(
  record: Readonly<Record<string, T>> | undefined,
  name: string | undefined,
): T | undefined {
  return record !== undefined && name !== undefined && Object.hasOwn(record, name)
    ? record[name]
    : undefined;
}

function overlay(
  below: RunPolicy & DownstreamPolicy,
  layer: PolicyFields,
): RunPolicy & DownstreamPolicy {
  return {
    version: layer.version ?? below.version,
    mode: layer.mode ?? below.mode,
    globalRetryBudget: layer.globalRetryBudget ?? below.globalRetryBudget,
    objective: layer.objective ?? below.objective,
    maxAttempts: layer.maxAttempts ?? below.maxAttempts,
    deadlineMs: layer.deadlineMs ?? below.deadlineMs,
    hintCapMs: layer.hintCapMs ?? below.hintCapMs,
    onUnknown: layer.onUnknown ?? below.onUnknown,
    deciders: layer.deciders ?? below.deciders,
    maxPayloadBytes: layer.maxPayloadBytes ?? below.maxPayloadBytes,
    compensation: overlayFields(below.compensation, layer.compensation),
    backoff: overlayFields(below.backoff, layer.backoff),
    breaker: overlayFields(below.breaker, layer.breaker),
    workerBreaker: overlayFields(below.workerBreaker, layer.workerBreaker),
    ratio: overlayFields(below.ratio, layer.ratio),
    limits: overlayFields(below.limits, layer.limits),
    tokens: overlayFields(below.tokens, layer.tokens),
    interruptions: overlayFields(below.interruptions, layer.interruptions),
  };
}
