import { z } from 'zod';

/** A customer's message. */
export const ticketSchema = z.object({
  id: z.string().min(1),
  from: z.email(),
  subject: z.string(),
  body: z.string(),
});

/** A customer's message, as its schema reads it. */
export type Ticket = Readonly<z.infer<typeof ticketSchema>>;

/** What the shop knows of an order; money in cents. */
export const orderSchema = z.object({
  orderId: z.string(),
  totalCents: z.int(),
  charges: z.array(z.object({ amountCents: z.int() })),
  delivery: z.object({ state: z.string() }),
});

/** What a ticket is about. */
export const classificationSchema = z.object({
  intent: z.enum(['refund', 'question', 'complaint', 'impossible', 'other']),
  language: z.string(),
  urgency: z.enum(['low', 'normal', 'high']),
  orderId: z.string().nullable(),
});

/** What is to be done about a ticket; `amountCents` where money goes back. */
export const decisionSchema = z.object({
  action: z.enum(['refund', 'answer', 'escalate']),
  amountCents: z.int().nonnegative().nullish(),
  reason: z.string(),
});

/** What a ticket is about, as its schema reads it. */
export type Classification = z.infer<typeof classificationSchema>;

/** What is to be done, as its schema reads it. */
export type Decision = z.infer<typeof decisionSchema>;

/** An order, as its schema reads it. */
export type Order = z.infer<typeof orderSchema>;
