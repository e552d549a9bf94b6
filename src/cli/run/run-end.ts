import {
  ApplicationFailure,
  CancelledFailure,
  TerminatedFailure,
  TimeoutFailure,
  WorkflowFailedError,
} from '@temporalio/client';
import { isPlainObject } from '../../contract/json.js';

/** How a run ended, as far as its exit code goes. */
export type RunEnd =
  | {
      readonly kind: 'ok' | 'degraded';
      /** Null where the workflow returned nothing. */
      readonly result: unknown;
    }
  | {
      readonly kind: 'failed' | 'cancelled' | 'terminated' | 'timed-out';
      readonly message: string;
      /** The failure's type, such as `holdfast.task-failed`. */
      readonly type: string | null;
      /** The first detail of the failure: a failed task's whole report. */
      readonly detail: unknown;
    };

/** What tasks, loops and batches answer where something is amiss. */
const amiss: readonly unknown[] = ['partial', 'degraded', 'limited', 'cancelled'];

/** Waits for a run to end. Errors of the connection are thrown. */
export async function endOf(result: Promise<unknown>): Promise<RunEnd> {
  try {
    const value = await result;
    const isWhole =
      !isPlainObject(value) || (value.degraded !== true && !amiss.includes(value.kind));
    return { kind: isWhole ? 'ok' : 'degraded', result: value ?? null };
  } catch (error) {
    if (error instanceof WorkflowFailedError) return failedEnd(error);
    throw error;
  }
}

function failedEnd({ cause, message: why }: WorkflowFailedError): RunEnd {
  const message = cause?.message ?? why;
  const plain = { message, type: null, detail: null };
  if (cause instanceof CancelledFailure) return { ...plain, kind: 'cancelled' };
  if (cause instanceof TerminatedFailure) return { ...plain, kind: 'terminated' };
  if (cause instanceof TimeoutFailure) return { ...plain, kind: 'timed-out' };
  if (!(cause instanceof ApplicationFailure)) return { ...plain, kind: 'failed' };
  return { kind: 'failed', message, type: cause.type ?? null, detail: cause.details?.[0] ?? null };
}
