import { throwFaults } from '../budget/errors.js';
import { faultsOf, rules } from '../budget/rules.js';
import { LimitExceededError } from './limit-errors.js';
import type { AdmissionRequest, LimitFigures, Reservation } from './limiter.js';

/** Throws InvalidRequestError for a request that breaks its rules. */
export function checkRequest({ key, figures, tokens, maxWaitMs }: AdmissionRequest): void {
  throwFaults([
    ...faultsOf('key.downstream', key.downstream, rules.text),
    ...faultsOf('tokens', tokens, rules.nonNegativeInteger),
    ...faultsOf('maxWaitMs', maxWaitMs, rules.nonNegativeNumber),
    ...figureFaults('requestsPerMinute', figures),
    ...figureFaults('tokensPerMinute', figures),
  ]);
}

function figureFaults(name: 'requestsPerMinute' | 'tokensPerMinute', figures: LimitFigures) {
  const figure = figures[name];
  return figure === undefined ? [] : faultsOf(`figures.${name}`, figure, rules.positiveInteger);
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

/** What is reserved where nothing is limited. */
export const nothingReserved: Reservation = {
  settle: async (tokens) => checkTokens(tokens),
  release: async () => {},
};
