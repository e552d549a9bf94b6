import type { Settlement, WaitingSettlement } from '../contract/messages.js';
import type { RunContext } from './run-context.js';

/** Waits until a person says what became of an unknown effect; undefined at the run's deadline. */
export function awaitSettlement(
  _run: RunContext,
  _waiting: Omit<WaitingSettlement, 'requestedAt' | 'deadlineAt'>,
): Promise<Settlement | undefined> {
  return Promise.resolve(undefined);
}
