import { throwFaults } from '../budget/errors.js';
import { faultsOf, type Rule, rules } from '../budget/rules.js';
import { LimitExceededError } from './limit-errors.js';
import type { AdmissionRequest, Reservation } from './limiter.js';

type Check = {
  readonly field: string;
  readonly of: (request: AdmissionRequest) => unknown;
  readonly rule: Rule;
};

const checks: readonly Check[] = [
  { field: 'key.downstream', of: ({ key }) => key.downstream, rule: rules.text },
  { field: 'tokens', of: ({ tokens }) => tokens, rule: rules.nonNegativeInteger },
  {
    field: 'comesBackWithinMs',
    of: ({ comesBackWithinMs = Number.POSITIVE_INFINITY }) =>
      comesBackWithinMs === Number.POSITIVE_INFINITY ? 0 : comesBackWithinMs,
    rule: rules.nonNegativeNumber,
  },
  { field: 'maxWaitMs', of: ({ maxWaitMs }) => maxWaitMs, rule: rules.nonNegativeNumber },
  {
    field: 'figures.requestsPerMinute',
    of: ({ figures: { requestsPerMinute = 1 } }) => requestsPerMinute,
    rule: rules.positiveInteger,
  },
  {
    field: 'figures.tokensPerMinute',
    of: ({ figures: { tokensPerMinute = 1 } }) => tokensPerMinute,
    rule: rules.positiveInteger,
  },
];

/** Throws InvalidRequestError for a request that breaks its rules. */
export function checkRequest(request: AdmissionRequest): void {
  if (checks.every(({ of, rule }) => rule.holds(of(request)))) return;
  throwFaults(checks.flatMap(({ field, of, rule }) => faultsOf(field, of(request), rule)));
}

/** Throws InvalidRequestError for a number of used tokens that is none. */
export function checkTokens(tokens: number): void {
  throwFaults(faultsOf('tokens', tokens, rules.nonNegativeInteger));
}

/** Returns the error of a request that no minute admits; undefined for one that fits. */
export function oversizeOf(request: AdmissionRequest): LimitExceededError | undefined {
  const { tokensPerMinute = Number.POSITIVE_INFINITY } = request.figures;
  if (request.tokens <= tokensPerMinute) return undefined;
  return new LimitExceededError(request.key.downstream, request.tokens, tokensPerMinute);
}

/** Tells whether whoever asks will come back for a place whose turn comes in so many milliseconds. */
export function comesBack({ comesBackWithinMs }: AdmissionRequest, waitMs: number): boolean {
  return waitMs < (comesBackWithinMs ?? Number.POSITIVE_INFINITY);
}

/** What is reserved where nothing is limited. */
export const nothingReserved: Reservation = {
  settle: async (tokens) => checkTokens(tokens),
  release: async () => {},
};
