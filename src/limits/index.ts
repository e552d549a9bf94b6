export { type Bulkhead, createBulkhead } from './bulkhead.js';
export { createRetryBudget, type RetryBudgetOptions } from './create-retry-budget.js';
export { FleetStoreUnavailableError, FleetStoreUnusableError } from './fleet-errors.js';
export type { FleetAnswer, FleetChange, FleetReport, FleetStore } from './fleet-store.js';
export {
  LimitExceededError,
  LimiterUnavailableError,
  LimiterUnusableError,
} from './limit-errors.js';
export type {
  Admission,
  AdmissionRequest,
  Limiter,
  LimitFigures,
  LimitKey,
  Reservation,
} from './limiter.js';
export { createMemoryFleetStore } from './memory-fleet-store.js';
export { createMemoryLimiter } from './memory-limiter.js';
export { openFleetStore } from './open-fleet-store.js';
export { openLimiter } from './open-limiter.js';
export { openPostgresFleetStore, type PostgresFleetStoreOptions } from './postgres-fleet-store.js';
export { openPostgresLimiter, type PostgresLimiterOptions } from './postgres-limiter.js';
export type {
  RatioFigures,
  RatioKey,
  RetryBudget,
  RetryDecision,
  SentCall,
} from './retry-budget.js';
