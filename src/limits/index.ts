export { type Bulkhead, createBulkhead } from './bulkhead.js';
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
export { createMemoryLimiter } from './memory-limiter.js';
export { openLimiter } from './open-limiter.js';
export { openPostgresLimiter, type PostgresLimiterOptions } from './postgres-limiter.js';
