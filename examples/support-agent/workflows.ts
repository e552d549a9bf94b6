import { defineAgentLoop, defineAgentTask } from 'holdfast/workflow';
import { supportModel } from './model.js';
import { agentPolicy, policy } from './policy.js';
import { prompts } from './prompts.js';
import { agentTools, tools } from './tools.js';

/** Works through a ticket by steps that are known beforehand. */
export const agentTask = defineAgentTask({ tools, policy });

/** Lets a model choose what to do about a ticket. */
export const supportAgent = defineAgentLoop({
  model: supportModel,
  tools: agentTools,
  system: prompts.agent,
  policy: agentPolicy,
});
