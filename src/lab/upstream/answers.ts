import { z } from 'zod';
import { findOrder } from './orders.js';

/** An answer before it is put on the wire. */
export type Answer = {
  readonly status: number;
  readonly body: unknown;
  /** True where giving this answer changes the world: a refund paid, a mail sent. */
  readonly hasEffect: boolean;
};

const refundSchema = z.object({
  orderId: z.string().min(1),
  amountCents: z.int().positive(),
  reason: z.string().optional(),
});

const emailSchema = z.object({
  to: z.email(),
  subject: z.string().min(1),
  body: z.string().min(1),
});

/** Returns an error in the shape that both the orders API and OpenAI's clients read. */
export function refusal(facts: {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}): Answer {
  const { status, code, message } = facts;
  const type = status >= 500 ? 'server_error' : 'invalid_request_error';
  return { status, body: { error: { code, type, message } }, hasEffect: false };
}

/** Answers `GET /orders/:id`: the order, or 404. */
export function answerLookup(orderId: string): Answer {
  const order = findOrder(orderId);
  if (!order) return orderNotFound(orderId);
  return { status: 200, body: order, hasEffect: false };
}

/**
 * Answers `POST /refunds`: 201 and a refund, 422 for a bad body or more than the order's total,
 * 404 for an unknown order. What was refunded before is left out of account on purpose: a doubled
 * refund goes through here, as it does where money is lost.
 */
export function answerRefund(body: unknown, refundId: string): Answer {
  const parsed = refundSchema.safeParse(body);
  if (!parsed.success) return invalidBody(parsed.error);
  const { orderId, amountCents } = parsed.data;
  const order = findOrder(orderId);
  if (!order) return orderNotFound(orderId);
  if (amountCents > order.totalCents) {
    return refusal({
      status: 422,
      code: 'amount-exceeds-order',
      message: `A refund of ${amountCents} cents is more than the ${order.totalCents} cents of ${orderId}.`,
    });
  }
  return {
    status: 201,
    body: { refundId, orderId, amountCents, currency: order.currency, status: 'paid' },
    hasEffect: true,
  };
}

/** Answers `POST /emails`: 202 and a message id, or 422 for a bad body. Nothing leaves the lab. */
export function answerEmail(body: unknown, messageId: string): Answer {
  const parsed = emailSchema.safeParse(body);
  if (!parsed.success) return invalidBody(parsed.error);
  return {
    status: 202,
    body: { messageId, to: parsed.data.to, status: 'queued' },
    hasEffect: true,
  };
}

function orderNotFound(orderId: string): Answer {
  return refusal({ status: 404, code: 'order-not-found', message: `No order ${orderId} exists.` });
}

function invalidBody(error: z.ZodError): Answer {
  const faults = error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`);
  return refusal({ status: 422, code: 'invalid-body', message: faults.join('; ') });
}
