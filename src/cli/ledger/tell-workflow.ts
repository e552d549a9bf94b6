import {
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { messageRefusals, type Settlement, updates } from '../../contract/messages.js';
import { type ServerConfig, withClient } from '../temporal-client.js';

/** What a workflow says of a settlement. */
export type Told =
  | { readonly kind: 'told' }
  /** Nobody waits for it there. */
  | { readonly kind: 'not-waiting'; readonly reason: string }
  /** It waits, and doesn't take this settlement. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Nobody knows whether it waits, or has heard. */
  | { readonly kind: 'unreachable'; readonly reason: string };

/** Types of the failures that say that nobody waits. */
const absences: readonly unknown[] = [messageRefusals.notWaiting, messageRefusals.decided];

/** The SDK gives this failure the type `Error`, as it does to any other: only its text tells it. */
const noHandler = `No registered handler for update: ${updates.settle}`;

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
    const isAbsent =
      cause instanceof ApplicationFailure &&
      (absences.includes(cause.type) || cause.message === noHandler);
    return { kind: isAbsent ? 'not-waiting' : 'refused', reason: reasonOf(error) };
  }
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) {
    const reason = `no worker answered within ${withinMs / 1_000} s, and one may still hear it`;
    return { kind: 'unreachable', reason };
  }
  return {
    kind: 'unreachable',
    reason: `the server at ${server.address} took no update: ${reasonOf(error)}`,
  };
}

/** The innermost error says most. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}
