import { type ActivityOptions, proxyActivities, type RetryPolicy } from '@temporalio/workflow';

/** A ticket with what the steps' contracts say of time, for workflows that don't use holdfast. */
export type PlainTask = {
  readonly ticket: unknown;
  /** Milliseconds that one attempt of each tool may take, as in its contract. */
  readonly timeouts: Readonly<Record<string, StepTimeouts>>;
  readonly deadlineMs: number;
};

/** Time limits of a tool in milliseconds. */
export type StepTimeouts = { readonly attemptMs: number; readonly heartbeatMs?: number };

/** What a workflow without holdfast returns. */
export type PlainResult = { readonly degraded: boolean };

type Answer = Readonly<Record<string, unknown>>;

/** Retries as the server does when nobody says otherwise: without end, within the deadline. */
export function defaultPolicy(task: PlainTask): Promise<PlainResult> {
  return workThrough(task);
}

/** Three attempts for each step, one and two seconds apart. */
export function threeAttempts(task: PlainTask): Promise<PlainResult> {
  return workThrough(task, tuned);
}

/** Three attempts for each step; the client below retries too, and so does the workflow above. */
export function layersOfThree(task: PlainTask): Promise<PlainResult> {
  return workThrough(task, tuned);
}

const tuned: RetryPolicy = { maximumAttempts: 3 };

async function workThrough(task: PlainTask, retry?: RetryPolicy): Promise<PlainResult> {
  const { ticket } = task;
  const step = (tool: string, input: Answer): Promise<Answer> => {
    const options: ActivityOptions = {
      startToCloseTimeout: task.timeouts[tool]?.attemptMs ?? task.deadlineMs,
      scheduleToCloseTimeout: task.deadlineMs,
      ...heartbeatOf(task.timeouts[tool]),
      ...(retry === undefined ? {} : { retry }),
    };
    type Activities = Record<string, (input: Answer) => Promise<Answer>>;
    return (proxyActivities<Activities>(options)[tool] as Activities[string])(input); // the proxy has every name
  };
  const classification = await step('classify_ticket', { ticket });
  const found = await step('look_up_order', { orderId: classification.orderId }).catch(() => null);
  const order = found?.order ?? null;
  const decided = await step('decide_action', { ticket, order });
  const { decision } = await step('refund_order', { order, decision: decided });
  const { language } = classification;
  const { text } = await step('write_reply', { ticket, language, order, decision });
  await step('send_reply', { ticket, text });
  return { degraded: found === null };
}

function heartbeatOf(timeouts: StepTimeouts | undefined): ActivityOptions {
  const heartbeatMs = timeouts?.heartbeatMs;
  return heartbeatMs === undefined ? {} : { heartbeatTimeout: heartbeatMs };
}
