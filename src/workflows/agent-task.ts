import { ApplicationFailure } from '@temporalio/workflow';
import { throwFaults } from '../budget/errors.js';
import {
  type AnyFallback,
  type AnyWay,
  type StepFallbackWay,
  waysOf,
} from '../contract/fallback.js';
import { callName } from '../contract/governed-tool.js';
import { hasValue, type Outcome, type Unanswered } from '../contract/outcome.js';
import { policyNameFaults } from '../contract/policy-names.js';
import { parseReference, resolveReferences } from '../contract/reference.js';
import type { RunReport } from '../contract/run-state.js';
import type { Step, StepResult, Task, TaskFailure, TaskResult } from '../contract/task.js';
import { checkTask } from '../contract/task-check.js';
import { TASK_FAILED } from '../contract/task-failed.js';
import type { AnyCompensation, AnyTool } from '../contract/tool.js';
import { stateOf } from './call-plan.js';
import { callTool } from './call-tool.js';
import { runSaga } from './compensation.js';
import { type GovernorOptions, prepareRun } from './governor.js';
import { refuseInvalid } from './invalid-request.js';
import { withOtherTools } from './other-tools.js';
import { patchedOnce } from './patched-once.js';
import { loadPolicy } from './policy-source.js';
import { refuseInput } from './refusal.js';
import type { RunContext } from './run-context.js';
import { reportOf, withDeadline } from './run-state.js';
import { answerShortQueries } from './short-queries.js';
import { continueBudget } from './spent-budget.js';

/** Tools and policy of an agent task, and who is told when it waits for a person. */
export type AgentTaskOptions = Pick<GovernorOptions, 'tools' | 'policy' | 'notify'> & {
  /** Name of a policy at the workers' source (`holdfast({ policies })`): it holds in place of `policy`. */
  readonly policyFrom?: string | undefined;
};

/** A workflow that runs a task; its type in Temporal is the name under which it is exported. */
export type AgentTask = (task: Task) => Promise<TaskResult>;

/**
 * Makes the workflow that runs a chain of steps, one after the other, under one retry budget. It ends
 * `ok` or `partial`; with a failure of type `holdfast.task-failed` that carries the whole report where a
 * required step got no answer; or with `invalid-request`, before anything is scheduled, where the task is
 * wrong.
 */
export function defineAgentTask(options: AgentTaskOptions): AgentTask {
  return async function agentTask(task) {
    const run = prepareRun({ ...options, tenant: tenantOf(task) });
    run.policyNameFaults = (policy) => policyNameFaults(policy, withOtherTools(options));
    for (const policy of [options.policy, run.delivered?.policy])
      refuseInvalid(() => throwFaults(policyNameFaults(policy ?? {}, withOtherTools(options))));
    answerShortQueries(run);
    const checked = refuseInvalid(() => checkTask(task, options.tools));
    planSteps(run, checked);
    // Runs that began before their task had a source go on as they began.
    if (options.policyFrom !== undefined && patchedOnce(run, 'holdfast-policy-from'))
      await loadPolicy(run, options.policyFrom);
    if (checked.continuesBudgetOf !== undefined)
      await continueBudget(run, checked.continuesBudgetOf);
    const end = await runSaga(run, {
      work: () => runSteps(run, checked.steps, options.tools),
      isKept: ({ failed }) => failed === undefined,
    });
    if (end.kind === 'threw') throw end.error;
    const { results, failed } = end.value;
    const report = reportOf(stateOf(run));
    if (end.kind === 'kept' || failed === undefined) return taskResult(results, report);
    throw taskFailure(failed, { ...report, compensations: end.compensations });
  };
}

/** A required step that got no answer. */
type FailedStep = { readonly step: Step; readonly outcome: Unanswered };

/** What the steps came to: all of them, or those up to a required one that failed. */
type StepsEnd = { readonly results: readonly StepResult[]; readonly failed?: FailedStep };

async function runSteps(
  run: RunContext,
  steps: readonly Step[],
  tools: readonly AnyTool[],
): Promise<StepsEnd> {
  const results: StepResult[] = [];
  for (const step of steps) {
    const outcome = await runStep(run, { step, results, tools });
    results.push({
      id: step.id,
      tool: step.tool,
      kind: outcome.kind,
      ...('value' in outcome ? { value: outcome.value } : {}),
    });
    if (!hasValue(outcome) && step.required !== false)
      return { results, failed: { step, outcome } };
  }
  return { results };
}

function planSteps(run: RunContext, task: Task): void {
  const state = stateOf(run);
  const planned = task.steps.map(({ id, tool, required }) => ({
    id,
    tool,
    required: required !== false,
  }));
  const { deadlineMs } = task;
  const dated = deadlineMs === undefined ? state : withDeadline(state, Date.now() + deadlineMs);
  run.state = { ...dated, planned };
}

async function runStep(
  run: RunContext,
  {
    step,
    results,
    tools,
  }: {
    readonly step: Step;
    readonly results: readonly StepResult[];
    readonly tools: readonly AnyTool[];
  },
): Promise<Outcome<unknown>> {
  const byName = new Map(tools.map((tool) => [callName(tool), tool]));
  const tool = byName.get(step.tool);
  if (tool === undefined)
    throw ApplicationFailure.nonRetryable(`There is no tool ${step.tool}.`, 'invalid-request'); // checkTask has proved it
  const outputs = Object.fromEntries(
    results.filter((result) => 'value' in result).map((result) => [result.id, result.value]),
  );
  const input = resolveReferences(step.input, outputs);
  if (input.kind === 'dangling') {
    const message = danglingMessage(input.reference, outputs);
    return refuseInput(run, { tool, step: step.id, message });
  }
  return callTool(run, {
    tool,
    input: input.value,
    step: step.id,
    fallback: fallbackOf(step, byName, outputs),
    compensate: compensationOf(step, byName, outputs),
  });
}

function danglingMessage(reference: string, outputs: Readonly<Record<string, unknown>>): string {
  const source = parseReference(reference)?.step ?? '';
  if (!Object.hasOwn(outputs, source)) {
    return `Its input needs ${reference}, but step ${source} got no answer.`;
  }
  return `Its input needs ${reference}, but the answer of step ${source} has nothing there.`;
}

/** Takes a step's fallback out of its JSON form. */
function fallbackOf(
  { fallback }: Step,
  tools: ReadonlyMap<string, AnyTool>,
  outputs: Readonly<Record<string, unknown>>,
): AnyFallback | undefined {
  const ways = waysOf<StepFallbackWay>(fallback).flatMap((way): readonly AnyWay[] => {
    if (!('tool' in way)) return [way];
    const tool = tools.get(way.tool);
    if (tool === undefined) return [];
    if (way.input === undefined) return [{ tool }];
    const input = resolveReferences(way.input, outputs);
    return input.kind === 'dangling' ? [] : [{ tool, input: () => input.value }];
  });
  return ways.length === 0 ? undefined : ways;
}

/** Takes a step's compensation out of its JSON form: its references may name the step itself. */
function compensationOf(
  { id, input: own, compensate }: Step,
  tools: ReadonlyMap<string, AnyTool>,
  outputs: Readonly<Record<string, unknown>>,
): AnyCompensation | undefined {
  if (compensate === undefined) return undefined;
  const tool = tools.get(compensate.tool);
  if (tool === undefined) return undefined;
  return {
    tool,
    input: (_input, value) => {
      const known = value === undefined ? outputs : { ...outputs, [id]: value };
      const input = resolveReferences(compensate.input ?? own, known);
      if (input.kind === 'resolved') return input.value;
      throw new Error(danglingMessage(input.reference, known)); // told as the reason why it isn't undone
    },
  };
}

function taskResult(steps: readonly StepResult[], report: RunReport): TaskResult {
  const kind = steps.every((step) => 'value' in step) ? 'ok' : 'partial';
  return { kind, degraded: steps.some((step) => step.kind === 'degraded'), steps, report };
}

function taskFailure(
  { step, outcome: { kind, report } }: FailedStep,
  whole: RunReport & Pick<TaskFailure, 'compensations'>,
): ApplicationFailure {
  const detail: TaskFailure = { ...whole, failedStep: step.id, failure: report };
  return ApplicationFailure.create({
    type: TASK_FAILED,
    message: `Step ${step.id} (${step.tool}) got no answer (${kind}: ${report.reason}): ${report.message}`,
    nonRetryable: true,
    details: [detail],
  });
}

/** A task that isn't even an object is refused by its check. */
function tenantOf(task: Task | undefined): string | undefined {
  return typeof task?.tenant === 'string' ? task.tenant : undefined;
}
