import { z } from 'zod';
import type { WaitingNotice } from './messages.js';

const times = { requestedAt: z.number(), deadlineAt: z.number() };

const approval = z.object({
  kind: z.literal('approval'),
  ...times,
  callId: z.string(),
  tool: z.string(),
  step: z.string().optional(),
  description: z.string(),
  input: z.unknown(),
  key: z.string(),
  fingerprint: z.string(),
});
const question = z.object({
  kind: z.literal('question'),
  ...times,
  questionId: z.string(),
  question: z.string(),
  answerSchema: z.unknown(),
});
const settlement = z.object({
  kind: z.literal('settlement'),
  ...times,
  key: z.string(),
  callId: z.string(),
  tool: z.string(),
  step: z.string().optional(),
  reason: z.string(),
  deadlineAt: z.number().nullable(),
});

/** The input of a `notify` tool. */
export const waitingNoticeSchema = z.object({
  workflowId: z.string(),
  waiting: z.discriminatedUnion('kind', [approval, question, settlement]),
}) satisfies z.ZodType<WaitingNotice>;
