import { ApplicationFailure } from '@temporalio/common';
import { hasValue, type Outcome } from '../../../contract/outcome.js';
import { createGovernor } from '../../../workflow.js';
import { drillFacts } from '../drill-plan.js';
import { decideAction, drillTools, lookUpOrder, payRefund, writeReply } from '../drill-tools.js';
import type { DrillAnswer, DrillTicket } from '../ticket.js';

/** Answers a ticket with holdfast. Breakers and retry budgets are those of its defaults. */
export async function answerTicket(given: DrillTicket): Promise<DrillAnswer> {
  const { ticket, orderId, maxConcurrent } = given;
  const governor = createGovernor({
    tools: drillTools,
    policy: { deadlineMs: drillFacts.deadlineMs, limits: { maxConcurrent } },
  });
  const degraded: string[] = [];
  const answer = <Value>(step: string, outcome: Outcome<Value>): Value => {
    if (!hasValue(outcome)) throw ApplicationFailure.nonRetryable(`${step} got no answer`);
    if (outcome.kind === 'degraded') degraded.push(step);
    return outcome.value;
  };
  const { order } = answer('look up', await governor.call(lookUpOrder, { orderId }));
  const decided = answer('decide', await governor.call(decideAction, { ticket, order }));
  const refund =
    order === null
      ? { refundId: null }
      : answer('pay', await governor.call(payRefund, { orderId, amountCents: 1 }));
  const isPaid = refund.refundId !== null;
  const decision = decided.text;
  const { text } = answer('write', await governor.call(writeReply, { ticket, decision, isPaid }));
  return { text, isPaid, degraded };
}
