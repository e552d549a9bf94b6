import { proxyActivities } from '@temporalio/workflow';
import { drillFacts } from '../drill-plan.js';
import type { DrillAnswer, DrillTicket } from '../ticket.js';

type Activities = {
  look_up_order(input: object): Promise<{ readonly order: object | null }>;
  decide_action(input: object): Promise<{ readonly text: string }>;
  pay_refund(input: object): Promise<{ readonly refundId: string | null }>;
  write_reply(input: object): Promise<{ readonly text: string }>;
};

// no retry policy: Temporal's own, which goes on without end
const shop = proxyActivities<Activities>({
  startToCloseTimeout: drillFacts.attemptTimeoutMs,
  heartbeatTimeout: drillFacts.attemptTimeoutMs,
});

/** Answers a ticket by ordinary activities under Temporal's default retry policy. */
export async function answerTicket({ ticket, orderId }: DrillTicket): Promise<DrillAnswer> {
  const { order } = await shop.look_up_order({ orderId });
  const { text: decision } = await shop.decide_action({ ticket, order });
  const refund = await shop.pay_refund({ orderId, amountCents: 1 });
  const isPaid = refund.refundId !== null;
  const { text } = await shop.write_reply({ ticket, decision, isPaid });
  return { text, isPaid, degraded: [] };
}
