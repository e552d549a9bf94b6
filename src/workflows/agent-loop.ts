import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { throwFaults } from '../budget/errors.js';
import type { LoopResult, LoopTask } from '../contract/loop.js';
import { policyNameFaults } from '../contract/policy-names.js';
import { stateOf } from './call-plan.js';
import { type GovernorOptions, prepareRun } from './governor.js';
import { refuseInvalid } from './invalid-request.js';
import { createLoop, runLoop } from './loop.js';
import { checkLoop, type LoopOptions } from './loop-options.js';
import type { LoopState } from './loop-state.js';
import { withOtherTools } from './other-tools.js';
import { loadPolicy } from './policy-source.js';
import type { RunContext } from './run-context.js';
import { withDeadline } from './run-state.js';
import { answerShortQueries } from './short-queries.js';
import { continueBudget } from './spent-budget.js';

/** A loop with its policy, and who is told when it waits for a person. */
export type AgentLoopOptions = LoopOptions &
  Pick<GovernorOptions, 'policy' | 'notify'> & {
    /** Name of a policy at the workers' source (`holdfast({ policies })`): it holds in place of `policy`. */
    readonly policyFrom?: string | undefined;
  };

/**
 * A workflow in which a model chooses the next calls; its type in Temporal is the name under which it is exported.
 * The second argument is its own: where an earlier run of it left off.
 */
export type AgentLoop = (task: LoopTask, carried?: LoopState) => Promise<LoopResult>;

/**
 * Makes the workflow that lets a model call tools until it is done. Messages and results stand in the store of
 * conversations, so that the history holds hashes; where it grows long all the same, the loop continues as new. It
 * ends with a result whatever fails on the way, and with `invalid-request`, before anything is scheduled, where
 * options or task are wrong.
 */
export function defineAgentLoop(options: AgentLoopOptions): AgentLoop {
  const agentLoop: AgentLoop = async (task, carried) => {
    const { policy, notify, tools, model } = options;
    refuseInvalid(() => checkLoop(options, carried === undefined ? { task } : undefined));
    const run = prepareRun({
      tools: [...tools, model],
      ...(policy === undefined ? {} : { policy }),
      notify,
      tenant: task.tenant,
    });
    const named = withOtherTools({ tools: [...tools, model], notify });
    run.policyNameFaults = (inForce) => policyNameFaults(inForce, named);
    for (const one of [policy, run.delivered?.policy])
      refuseInvalid(() => throwFaults(policyNameFaults(one ?? {}, named)));
    answerShortQueries(run);
    if (carried === undefined) await begin(run, task, options);
    const loop = createLoop(run, options, carried === undefined ? { task } : { carried });
    const end = await runLoop(loop, () => workflowInfo().continueAsNewSuggested);
    if (end.kind === 'ended') return end.result;
    const { prompt: _prompt, messages: _messages, ...rest } = task; // they stand in the conversation
    return continueAsNew<AgentLoop>(rest, end.state);
  };
  return agentLoop;
}

/** Puts in force what a run is told once: its deadline, its policy, and whose budget it goes on with. */
async function begin(
  run: RunContext,
  { deadlineMs, continuesBudgetOf }: LoopTask,
  { policyFrom }: AgentLoopOptions,
): Promise<void> {
  if (deadlineMs !== undefined) run.state = withDeadline(stateOf(run), Date.now() + deadlineMs);
  if (policyFrom !== undefined) await loadPolicy(run, policyFrom);
  if (continuesBudgetOf !== undefined) await continueBudget(run, continuesBudgetOf);
}
