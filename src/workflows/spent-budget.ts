import { workflowInfo } from '@temporalio/workflow';
import { type Fault, throwFaults } from '../budget/errors.js';
import type { RunState } from '../contract/run-state.js';
import type { Inherited } from '../contract/spent.js';
import { builtIn, ownWord } from './built-in.js';
import { stateOf } from './call-plan.js';
import { refuseInvalid } from './invalid-request.js';
import type { RunContext } from './run-context.js';
import { bookSpent } from './slices.js';

/**
 * Lets a run begin with what another workflow has spent, and with what that one had inherited: retries, tokens. The
 * client may have read it before the start; else an activity does.
 * @throws ApplicationFailure of type `invalid-request` where there is no such workflow, it is this very one, or the
 * run continues another one's budget already
 */
export async function continueBudget(run: RunContext, workflowId: string): Promise<void> {
  if (stateOf(run).inherited?.workflowId === workflowId) return; // carried over continue-as-new
  refuseInvalid(() => throwFaults(inheritanceFaults(stateOf(run), workflowId)));
  const read = run.start?.continues;
  const inherited = read?.workflowId === workflowId ? read : await readInherited(workflowId);
  run.state = { ...bookSpent(stateOf(run), inherited.spent), inherited };
}

async function readInherited(workflowId: string): Promise<Inherited> {
  const spent = await builtIn()
    .holdfast_spent_budget(workflowId)
    .catch((error: unknown) => {
      throw ownWord(error);
    });
  return { workflowId, spent };
}

function inheritanceFaults({ inherited }: RunState, workflowId: string): Fault[] {
  const field = 'continuesBudgetOf';
  if (workflowId === workflowInfo().workflowId) {
    return [{ field, rule: 'must name another workflow than this one', value: workflowId }];
  }
  if (inherited === undefined) return [];
  const rule = `must name one workflow: the budget of ${inherited.workflowId} is continued already`;
  return [{ field, rule, value: workflowId }];
}
