import { throwFaults } from '../budget/errors.js';
import { builtIn, ownWord } from './built-in.js';
import { refuseInvalid } from './invalid-request.js';
import type { RunContext } from './run-context.js';
import { putInForce } from './set-policy.js';

/**
 * Loads a policy by its name from the worker's source and puts it in force. One that was delivered already, by the
 * client or by the update, goes before it: then nothing is loaded.
 * @throws ApplicationFailure, not retryable, where there is no such policy or it has faults
 */
export async function loadPolicy(run: RunContext, name: string): Promise<void> {
  if (run.delivered !== undefined) return;
  const policy = await builtIn()
    .holdfast_load_policy(name)
    .catch((error: unknown) => {
      throw ownWord(error);
    });
  refuseInvalid(() => throwFaults([...(run.policyNameFaults?.(policy) ?? [])]));
  // Meanwhile a person may have said which policy holds.
  if (run.delivered === undefined) putInForce(run, { kind: 'source', name, policy });
}
