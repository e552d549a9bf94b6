// Planner.

// Errors and what they are made of.
export { assertNever } from './assert-never.js';
// Classification, hints, error facts, ends of attempts.
export { type AttemptEffects, type AttemptEnd, attemptEnds } from './attempt-ends.js';
// Backoff.
export {
  type BackoffPolicy,
  type BackoffRequest,
  backoffDefaults,
  backoffDelay,
  envelopeMs,
  type Jitter,
  longestDelayMs,
  modelBackoffDefaults,
  retryDelay,
} from './backoff.js';
// Breaker.
export {
  type Admission,
  admitCall,
  type BreakerEnd,
  type BreakerState,
  initialBreaker,
  recordEnd,
} from './breaker.js';
export { type BreakerOptions, breakerDefaults, checkBreakerOptions } from './breaker-options.js';
export { type BreakerTrace, type TraceOptions, traceBreaker } from './breaker-trace.js';
export { classify } from './classify.js';
export { isAmbiguous, provenUnsent } from './classify-ambiguity.js';
export type { Classification, ClassifyInput, ErrorClass, ErrorFacts } from './classify-types.js';
// Compounding.
export { type CompoundTask, layeredAttempts, taskSuccess } from './compounding.js';
export { errorFacts, errorMessage } from './error-facts.js';
export {
  BreakerOpenError,
  type Fault,
  HoldfastError,
  InvalidRequestError,
  throwFaults,
} from './errors.js';
export { hintFromHeaders, parseRetryAfter } from './hints.js';
export {
  type Allocation,
  type Plan,
  type PlanNode,
  type PlanObjective,
  type PlanPolicy,
  planPolicyDefaults,
  type WorstCase,
} from './plan.js';
export { planRetryBudget, worstCaseRetryCost } from './planner.js';
// Budgets of a worker.
export { checkRatioFigures, RatioBudget, type RatioFigures } from './ratio-budget.js';
export { type AttemptCap, cappedAttempts, retryCap } from './retry-cap.js';
export { showValue } from './show-value.js';
export { type Threshold, thresholdNumber } from './threshold.js';
export {
  type WorkerAdmission,
  WorkerBreaker,
  type WorkerBreakerOptions,
} from './worker-breaker.js';
