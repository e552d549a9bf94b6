export {
  type BatchCounts,
  type BatchInput,
  type BatchProgress,
  type BatchReceipt,
  type BatchResult,
  type BatchWord,
  batchUpdates,
  type FailedItem,
  PROGRESS_QUERY,
} from './batch.js';
export { type CallHeader, failureTypes, headerNames } from './call-header.js';
export type { ToldUndo, Undo, UndoKind } from './compensation.js';
export {
  type DeliveredPolicy,
  deliveredPolicyFaults,
  MAX_POLICY_BYTES,
} from './delivered-policy.js';
export type { Effect } from './effect.js';
export type {
  Fallback,
  FallbackWay,
  RuleAnswer,
  StepFallback,
  StepFallbackWay,
} from './fallback.js';
export type { Estimate, GovernedTool } from './governed-tool.js';
export type { Json, JsonObject } from './json.js';
export { fingerprint, idempotencyKey, type KeyParts } from './keys.js';
export type {
  LoopEffect,
  LoopFacts,
  LoopFallback,
  LoopLimit,
  LoopResult,
  LoopTask,
  NoAnswer,
} from './loop.js';
export {
  type Answer,
  type AnswerReceipt,
  type Decision,
  type DecisionReceipt,
  type Feature,
  messageRefusals,
  type PolicyChange,
  type PolicyReceipt,
  queries,
  type Settlement,
  type SettlementReceipt,
  updates,
  type WaitingApproval,
  type WaitingNotice,
  type WaitingQuestion,
  type WaitingSettlement,
} from './messages.js';
export {
  defineModel,
  MODEL_GENERATE,
  type Model,
  type ModelDefinition,
  type ModelInput,
  type ModelMessage,
  type ModelOutput,
  type ModelTool,
  type ModelToolCall,
  type ModelUsage,
} from './model.js';
export { modelMessageSchema, modelToolCallSchema, modelToolSchema } from './model-schemas.js';
export {
  type CallReport,
  type Cost,
  type Degraded,
  type Disabled,
  type ExhaustionReason,
  type FailureReport,
  hasValue,
  type Ok,
  type Outcome,
  type OutcomeKind,
  type Tokens,
  type Unanswered,
} from './outcome.js';
export {
  MODEL_ATTEMPT_TIMEOUT_MS,
  type Mode,
  modelDownstream,
  type PolicyInput,
  policyDefaults,
} from './policy.js';
export { definePolicy, policyFaults } from './policy-check.js';
export { callPolicy, downstreamPolicy, runPolicy } from './policy-layers.js';
export { policySchema } from './policy-schema.js';
export type { Asked } from './question.js';
export type { CallLine, FallbackCounts, Pool, RunCost, RunReport, RunState } from './run-state.js';
export {
  type IndexAttribute,
  type IndexName,
  type IndexValues,
  indexAttributes,
  indexedFromStart,
  MEMO_AT_START,
  MEMO_FIELD,
  type RunOutcome,
} from './search-attributes.js';
export type { ChildLine, Inherited, Slice, Spent } from './spent.js';
export {
  type Step,
  type StepResult,
  type Task,
  type TaskFailure,
  type TaskResult,
  taskSchema,
} from './task.js';
export { checkTask } from './task-check.js';
export { TASK_FAILED } from './task-failed.js';
export {
  type AnyTool,
  type Approval,
  type Compensation,
  defineTool,
  type Tool,
  type ToolDefinition,
  type ToolInput,
  type ToolOutput,
} from './tool.js';
export { waitingNoticeSchema } from './waiting-notice.js';
