import { ApplicationFailure } from '@temporalio/workflow';
import { describeFaults, type Fault } from '../budget/errors.js';
import { messageRefusals } from '../contract/messages.js';

const LONGEST_REFUSAL = 4_000;

/**
 * Refuses a person's message, before Temporal writes it down.
 * @throws ApplicationFailure whose type says why
 */
export function refuseMessage(why: keyof typeof messageRefusals, message: string): never {
  // What it quotes of a message may be as long as that: refusals together would be too much for one task's answer.
  throw ApplicationFailure.nonRetryable(message.slice(0, LONGEST_REFUSAL), messageRefusals[why]);
}

/** Refuses a message that has faults. */
export function refuseFaults(faults: readonly Fault[]): void {
  if (faults.length > 0) refuseMessage('invalid', describeFaults(faults));
}
