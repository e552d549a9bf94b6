/** A ticket on its way through the measured workflow. */
export type Ticket = { readonly ticketId: string; readonly text: string };

/** The measured workflow's activities do next to nothing: what is left is the price of running them. */
export async function lookUp({ ticketId }: Ticket): Promise<{ readonly orderId: string }> {
  return { orderId: `order of ${ticketId}` };
}

/** Decides about an order. */
export async function decide(order: { readonly orderId: string }): Promise<{
  readonly orderId: string;
  readonly amountCents: number;
}> {
  return { ...order, amountCents: 1_250 };
}

/** Answers the customer. */
export async function reply(decision: {
  readonly orderId: string;
  readonly amountCents: number;
}): Promise<{ readonly text: string }> {
  return { text: `${decision.orderId}: ${decision.amountCents} cents are on their way.` };
}
