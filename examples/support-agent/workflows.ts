import { defineAgentTask } from 'holdfast/workflow';
import { policy } from './policy.js';
import { tools } from './tools.js';

export const agentTask = defineAgentTask({ tools, policy });
