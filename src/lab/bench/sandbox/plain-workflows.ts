import { proxyActivities } from '@temporalio/workflow';
import type * as activities from '../activities.js';

const { lookUp, decide, reply } = proxyActivities<typeof activities>({
  startToCloseTimeout: 10_000,
  retry: { maximumAttempts: 3 },
});

/** Three activities in a row: the same file is measured plain and governed. */
export async function settleTicket(ticket: activities.Ticket): Promise<string> {
  const order = await lookUp(ticket);
  const decision = await decide(order);
  const { text } = await reply(decision);
  return text;
}
