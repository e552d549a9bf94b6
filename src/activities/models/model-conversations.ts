import type { ModelMessage, ModelOutput, ModelTool } from '../../contract/model.js';

/** A conversation that was loaded: what the model reads, and where its answer goes. */
export type OpenConversation = {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** Keeps the model's answer; returns what goes back to the workflow in its place. */
  readonly close: (answer: ModelOutput) => Promise<ModelOutput>;
};

/** Where conversations stand that a model's input names in place of carrying them. */
export interface ModelConversations {
  open(conversation: unknown): Promise<OpenConversation>;
}
