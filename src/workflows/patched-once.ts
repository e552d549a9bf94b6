import { patched } from '@temporalio/workflow';
import type { RunContext } from './run-context.js';

/**
 * Tells whether a run goes with a change, decided where it first matters. The SDK's own answer turns from no to
 * yes once a replay has come to the present: a run that began without the change would end with it.
 */
export function patchedOnce(run: RunContext, id: string): boolean {
  const known = run.patches.get(id) ?? patched(id);
  run.patches.set(id, known);
  return known;
}
