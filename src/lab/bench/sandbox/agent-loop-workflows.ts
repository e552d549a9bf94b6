import { defineAgentLoop } from '../../../workflow.js';
import { agentModel, agentSystem, agentTools } from '../agent-tools.js';

/** The same agent by holdfast's loop. */
export const workOnTicket = defineAgentLoop({
  model: agentModel,
  tools: agentTools,
  system: agentSystem,
});
