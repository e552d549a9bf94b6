import { createGovernor } from '../../../workflow.js';
import type { Ticket } from '../activities.js';
import { decideTool, lookUpTool, replyTool } from '../tools.js';

/** The measured workflow by the library's door: tools with schemas, so zod is in the bundle. */
export async function settleTicket(ticket: Ticket): Promise<string> {
  const governor = createGovernor({ tools: [lookUpTool, decideTool, replyTool] });
  const order = await governor.need(lookUpTool, { ...ticket });
  const decision = await governor.need(decideTool, order);
  const { text } = await governor.need(replyTool, decision);
  return text;
}
