export { ConversationsMissingError } from './activities/by-reference.js';
export { type Http, type HttpAnswer, HttpError, type HttpRequest } from './activities/http.js';
export {
  implementTool,
  type ToolContext,
  type ToolImplementation,
} from './activities/implement-tool.js';
export { type PolicySource, policyFiles } from './activities/policy-source.js';
export {
  type Fault,
  HoldfastError,
  InvalidRequestError,
  planRetryBudget,
  worstCaseRetryCost,
} from './budget/index.js';
export {
  type HoldfastOptions,
  type HoldfastPlugin,
  holdfast,
  type WorkerConfig,
} from './plugin.js';
export { SearchAttributesMissingError } from './start-options.js';
export { LedgerMissingError, UngovernedBundleError } from './worker.js';
