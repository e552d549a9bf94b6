import { createGovernor } from '../../../workflow.js';
import { type Refund, readTool, writeTool } from '../effect-tools.js';

/** One call that the ledger knows nothing of. */
export function readOnce(refund: Refund): Promise<Refund> {
  return createGovernor({ tools: [readTool] }).need(readTool, refund);
}

/** The same call as an effect that happens once. */
export function writeOnce(refund: Refund): Promise<Refund> {
  return createGovernor({ tools: [writeTool] }).need(writeTool, refund);
}
