import type { Context } from '@temporalio/activity';
import type { CallHeader } from '../contract/call-header.js';

/** What a line of the log is about. */
export type LoggedAttempt = { readonly context: Context; readonly header: CallHeader };

/** Logs the gate's admission, said by the first attempt that it let through. */
export function logAdmission({ context, header }: LoggedAttempt): void {
  context.log.debug('holdfast', {
    ...callOf(context, header),
    attempt: 1,
    decision: 'admit',
    reason: `share ${header.share}`,
  });
}

/** Logs what became of an attempt, in one structured line. */
export function logVerdict(
  { context, header }: LoggedAttempt,
  verdict: { readonly attempt: number; readonly decision: string; readonly reason: string },
): void {
  context.log.info('holdfast', { ...callOf(context, header), ...verdict });
}

function callOf(
  { info }: Context,
  { downstream }: CallHeader,
): { readonly task: string | undefined; readonly tool: string; readonly downstream: string } {
  return { task: info.workflowExecution?.workflowId, tool: info.activityType, downstream };
}
