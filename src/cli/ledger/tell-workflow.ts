import {
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { messageRefusals, type Settlement, updates } from '../../contract/messages.js';
import { type ServerConfig, withClient } from '../temporal-client.js';

/** Whether a workflow has heard of a settlement. */
export type Told =
  | { readonly kind: 'told' }
  /** Nobody waits for it there: nothing is missing. */
  | { readonly kind: 'not-waiting'; readonly reason: string }
  /** It waits and has refused the message, or nobody knows whether it has heard. */
  | { readonly kind: 'not-told'; readonly reason: string; readonly needsOther: boolean };

/** Types of the failures by which a workflow refuses the word of somebody for whom it waits on. */
const refusals: readonly unknown[] = [messageRefusals.notDecider, messageRefusals.invalid];

/** Sends `holdfast.settle` to a workflow, and waits at most `withinMs` for its answer. */
export async function tellWorkflow(options: {
  readonly server: ServerConfig;
  readonly workflowId: string;
  readonly settlement: Settlement;
  readonly withinMs: number;
}): Promise<Told> {
  const { server, workflowId, settlement, withinMs } = options;
  const giveUpAt = Date.now() + withinMs;
  try {
    await withClient(server, withinMs, (client) =>
      client.withDeadline(giveUpAt, () =>
        client.workflow.getHandle(workflowId).executeUpdate(updates.settle, { args: [settlement] }),
      ),
    );
    return { kind: 'told' };
  } catch (error) {
    return whyNot(error, options);
  }
}

function whyNot(
  error: unknown,
  { server, withinMs }: { readonly server: ServerConfig; readonly withinMs: number },
): Told {
  if (error instanceof WorkflowNotFoundError) {
    return { kind: 'not-waiting', reason: 'it has ended, or never ran in this namespace' };
  }
  if (error instanceof WorkflowUpdateFailedError) {
    const { cause } = error;
    const hasRefused = cause instanceof ApplicationFailure && refusals.includes(cause.type);
    return hasRefused
      ? {
          kind: 'not-told',
          reason: `it waits, and refused: ${cause.message}`,
          needsOther: cause.type === messageRefusals.notDecider,
        }
      : { kind: 'not-waiting', reason: reasonOf(error) };
  }
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) {
    const reason = `no worker answered within ${withinMs / 1_000} s`;
    return { kind: 'not-told', reason, needsOther: false };
  }
  return {
    kind: 'not-told',
    reason: `the server at ${server.address} took no update: ${reasonOf(error)}`,
    needsOther: false,
  };
}

/** The innermost error says most. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}
