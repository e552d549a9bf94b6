import {
  ApplicationFailure,
  type ChildWorkflowHandle,
  type Workflow,
  type WorkflowResultType,
} from '@temporalio/workflow';
import type { z } from 'zod';
import { type Fault, throwFaults } from '../budget/errors.js';
import { fallbackTools } from '../contract/fallback.js';
import { callName } from '../contract/governed-tool.js';
import type { LoopResult, LoopTask } from '../contract/loop.js';
import { hasValue, type Outcome } from '../contract/outcome.js';
import type { PolicyInput } from '../contract/policy.js';
import { policyFaults } from '../contract/policy-check.js';
import type { Asked } from '../contract/question.js';
import type { RunReport } from '../contract/run-state.js';
import type { AnyTool, Compensation, ToolInput, ToolOutput } from '../contract/tool.js';
import { stateOf } from './call-plan.js';
import { callTool } from './call-tool.js';
import { runSaga, type SagaEnd } from './compensation.js';
import { refuseInvalid } from './invalid-request.js';
import { createLoop, runLoop } from './loop.js';
import { checkLoop, type LoopOptions } from './loop-options.js';
import { notifier, notifyFaults } from './notices.js';
import { loadPolicy } from './policy-source.js';
import { promised } from './promised.js';
import { askPerson, type Question } from './questions.js';
import { type RunContext, runContext } from './run-context.js';
import { reportOf } from './run-state.js';
import { currentSaga } from './saga.js';
import { continueBudget } from './spent-budget.js';
import { executeSubAgent, type SubAgentOptions, startSubAgent } from './sub-agents.js';

/** What a governor is made of. */
export type GovernorOptions = {
  /** The tools that the run is expected to call: without a chain they are the plan's nodes. */
  readonly tools: readonly AnyTool[];
  readonly policy?: PolicyInput;
  /** For whom the run works. @default the start header's tenant */
  readonly tenant?: string | undefined;
  /**
   * Is called when something begins to wait for a person; its input is a WaitingNotice. It needs no approval
   * itself, and what becomes of it changes nothing for the call that waits.
   */
  readonly notify?: AnyTool | undefined;
};

/** What one call may say beside its input. */
export type CallOptions<T extends AnyTool = AnyTool> = {
  /** Tells equal calls apart where two effects are meant. */
  readonly occurrence?: string;
  /** The call that undoes this one in a saga. @default the tool's own */
  readonly compensate?: Compensation<ToolInput<T>, ToolOutput<T>>;
};

/** Calls tools under the run's budget. */
export type Governor = {
  /** Calls a tool. Returns how it ended; throws only when the workflow is cancelled. */
  call<T extends AnyTool>(
    tool: T,
    input: ToolInput<T>,
    options?: CallOptions<T>,
  ): Promise<Outcome<ToolOutput<T>>>;
  /**
   * Calls a tool and returns its value, a fallback's included.
   * @throws ApplicationFailure, not retryable, of type `holdfast.<kind>` with the report as its detail
   */
  need<T extends AnyTool>(
    tool: T,
    input: ToolInput<T>,
    options?: CallOptions<T>,
  ): Promise<ToolOutput<T>>;
  /**
   * Asks a person, who answers by the update `holdfast.answer`: only an answer that fits the schema is taken.
   * The task's deadline stands still meanwhile. Throws only when the workflow is cancelled.
   */
  ask<Schema extends z.ZodType>(
    schema: Schema,
    question: Question<Schema>,
  ): Promise<Asked<z.output<Schema>>>;
  /**
   * Does work and returns its value. Where it throws, or the workflow is cancelled meanwhile, it cancels what still
   * runs inside, waits for it, undoes the calls with a `compensate` in reverse order, and throws on. A saga inside
   * another one is undone with it. What was undone stands in `report().compensations`.
   */
  saga<Value>(work: () => Promise<Value>): Promise<Value>;
  /**
   * Starts a child workflow with a slice of this run's budgets: retries, tokens, deadline, tenant. It is taken off
   * them at once; what the child hasn't used returns when it ends. Breakers aren't shared: each run learns by itself
   * which downstream is down. Without a retry policy of its own the child has one attempt.
   * @throws ApplicationFailure of type `invalid-request` for a slice that is none, and what the SDK's startChild throws
   */
  startChild<T extends Workflow>(
    workflow: string | T,
    options: SubAgentOptions<T>,
  ): Promise<ChildWorkflowHandle<T>>;
  /** Starts a child as `startChild` does, waits for it, and returns its value or throws its failure. */
  executeChild<T extends Workflow>(
    workflow: string | T,
    options: SubAgentOptions<T>,
  ): Promise<WorkflowResultType<T>>;
  /**
   * Lets the run begin with what the workflow of that id has spent, so that another try opens no fresh budget.
   * Call it before the first tool.
   * @throws ApplicationFailure of type `invalid-request` where there is no such workflow
   */
  continueBudgetOf(workflowId: string): Promise<void>;
  /**
   * Puts a policy of the workers' source (`holdfast({ policies })`) in force, unless the client or an update has
   * put another one there.
   * @throws ApplicationFailure of type `invalid-request` where there is none, or it has faults
   */
  loadPolicy(name: string): Promise<void>;
  /**
   * Lets a model choose the next calls until it is done or a limit asks for its last answer. Returns how it ended;
   * throws only when the workflow is cancelled. The loop shares the run's budget and deadline, and stays in this run
   * however long its history grows.
   * @throws ApplicationFailure of type `invalid-request` that lists every fault of the options
   */
  loop(options: LoopOptions, task: Pick<LoopTask, 'prompt' | 'messages'>): Promise<LoopResult>;
  /** Returns what the run did and spent so far. */
  report(): RunReport;
};

/**
 * Makes the governor of this run. A run has one budget: a second governor shares it, under the first one's
 * policy. Tools that it adds once a call was made are beyond the plan.
 * @throws ApplicationFailure of type `invalid-request` that lists every fault of tools and policy
 */
export function createGovernor(options: GovernorOptions): Governor {
  const run = prepareRun(options);
  return {
    call: (tool, input, { occurrence, compensate } = {}) =>
      leftBehind(callTool(run, { tool, input, occurrence, compensate })),
    need: (tool, input, { occurrence, compensate } = {}) =>
      leftBehind(
        callTool<ToolOutput<typeof tool>>(run, { tool, input, occurrence, compensate }).then(
          (outcome) => neededValue(callName(tool), outcome),
        ),
      ),
    ask: (schema, question) => leftBehind(askPerson(run, schema, question)),
    saga: (work) => leftBehind(runSaga(run, { work }).then(keptValue)),
    startChild: (workflow, options) => leftBehind(startSubAgent(run, workflow, options)),
    executeChild: (workflow, options) => leftBehind(executeSubAgent(run, workflow, options)),
    continueBudgetOf: (workflowId) => continueBudget(run, workflowId),
    loadPolicy: (name) => loadPolicy(run, name),
    loop: (options, task) => leftBehind(promised(() => loopHere(options, task))),
    report: () => reportOf(stateOf(run)),
  };
}

/** A loop in a user's own workflow never suspends: only the workflow knows how it continues as new. */
async function loopHere(options: LoopOptions, task: LoopTask): Promise<LoopResult> {
  refuseInvalid(() => checkLoop(options, { task }));
  const run = prepareRun({ tools: [...options.tools, options.model] });
  const end = await runLoop(createLoop(run, options, { task }), () => false);
  if (end.kind === 'ended') return end.result;
  throw new Error('unreachable: the loop was not asked to suspend');
}

/** Checks tools and policy and puts them into the run. */
export function prepareRun({ tools, policy, tenant, notify }: GovernorOptions): RunContext {
  const run = runContext();
  refuseInvalid(() => {
    throwFaults([
      ...toolListFaults(tools),
      ...(policy === undefined ? [] : policyFaults(policy)),
      ...(notify === undefined ? [] : notifyFaults(notify)),
    ]);
  });
  run.policy ??= policy ?? {};
  run.tenant = tenant ?? run.tenant;
  run.settings.clear();
  run.runSettings = undefined;
  if (notify !== undefined) run.notify ??= notifier(run, notify);
  for (const tool of tools) run.tools.set(callName(tool), tool);
  return run;
}

function toolListFaults(tools: readonly AnyTool[]): Fault[] {
  if (!Array.isArray(tools))
    return [{ field: 'tools', rule: 'must be a list of tools', value: tools }];
  const names = new Set<string>();
  return tools.flatMap((tool, index) => {
    const name = callName(tool);
    const repeated = names.has(name);
    names.add(name);
    const rule = 'must differ from the names of the other tools';
    const repetition: Fault[] = repeated
      ? [{ field: `tools[${index}].name`, rule, value: name }]
      : [];
    if (tool.faults.length > 0) return [...tool.faults, ...repetition];
    const others = [
      ...fallbackTools(tool.fallback),
      ...(tool.compensate === undefined ? [] : [tool.compensate.tool]),
    ];
    return [...others.flatMap((other) => other.faults), ...repetition];
  });
}

function keptValue<T>(end: SagaEnd<T>): T {
  if (end.kind === 'threw') throw end.error;
  return end.value;
}

/**
 * Lets a saga that fails cancel what its work hasn't awaited yet: a cancellation that nobody hears of would fail
 * the workflow's task, again and again, and nothing would be undone.
 */
function leftBehind<T>(promise: Promise<T>): Promise<T> {
  if (currentSaga() !== undefined) promise.catch(() => {}); // whoever awaits it gets the error all the same
  return promise;
}

function neededValue<T>(name: string, outcome: Outcome<T>): T {
  if (hasValue(outcome)) return outcome.value;
  const { kind, report } = outcome;
  throw ApplicationFailure.create({
    type: `holdfast.${kind}`,
    message: `${name} got no answer (${kind}: ${report.reason}): ${report.message}`,
    nonRetryable: true,
    details: [report],
  });
}
