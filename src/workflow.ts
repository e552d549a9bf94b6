export { governActivities } from './workflows/adoption.js';
export { type AgentLoop, type AgentLoopOptions, defineAgentLoop } from './workflows/agent-loop.js';
export { type AgentTask, type AgentTaskOptions, defineAgentTask } from './workflows/agent-task.js';
export { type Batch, type BatchOptions, defineBatch } from './workflows/batch.js';
export {
  type CallOptions,
  createGovernor,
  type Governor,
  type GovernorOptions,
} from './workflows/governor.js';
export type { LoopEnd, LoopLimits, LoopOptions } from './workflows/loop-options.js';
export type { Question } from './workflows/questions.js';
export type { SliceRequest, SubAgentOptions } from './workflows/sub-agents.js';
