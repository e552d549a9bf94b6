export type {
  BudgetHeaders,
  CallRecord,
  EffectRecord,
  RouteStats,
  UpstreamStats,
} from './call-stats.js';
export { findCall } from './call-stats.js';
export { decideFault } from './decide-fault.js';
export type { FaultPlan, FaultPlanInput, RouteName } from './faults.js';
export { faultPlanSchema, routeNames } from './faults.js';
export { reportPhrases } from './model/agent-report.js';
export { completeChat } from './model/complete-chat.js';
export type { Order } from './orders.js';
export { findOrder } from './orders.js';
export type { RequestLog, RequestRecord } from './request-log.js';
export type { Upstream, UpstreamOptions } from './upstream.js';
export { createUpstream, upstreamOptionsSchema } from './upstream.js';
export { UpstreamStartError } from './upstream-errors.js';
