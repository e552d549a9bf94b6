import { ApplicationFailure, defineQuery, setHandler } from '@temporalio/workflow';
import { throwFaults } from '../budget/errors.js';
import type { Fallback } from '../contract/fallback.js';
import { queryAliases } from '../contract/messages.js';
import { hasValue, type Outcome, type Unanswered } from '../contract/outcome.js';
import { policyNameFaults } from '../contract/policy-names.js';
import { parseReference, resolveReferences } from '../contract/reference.js';
import type { RunReport, RunState } from '../contract/run-state.js';
import {
  type Step,
  type StepResult,
  TASK_FAILED,
  type Task,
  type TaskFailure,
  type TaskResult,
} from '../contract/task.js';
import { checkTask } from '../contract/task-check.js';
import type { AnyTool } from '../contract/tool.js';
import { stateOf } from './call-plan.js';
import { callTool } from './call-tool.js';
import { type GovernorOptions, prepareRun } from './governor.js';
import { refuseInvalid } from './invalid-request.js';
import { refuseInput } from './refusal.js';
import type { RunContext } from './run-context.js';
import { reportOf } from './run-state.js';

/** Tools and policy of an agent task, and who is told when it waits for a person. */
export type AgentTaskOptions = Pick<GovernorOptions, 'tools' | 'policy' | 'notify'>;

/** A workflow that runs a task; its type in Temporal is the name under which it is exported. */
export type AgentTask = (task: Task) => Promise<TaskResult>;

const stateQuery = defineQuery<RunState>(queryAliases.state);
const reportQuery = defineQuery<RunReport>(queryAliases.report);

/**
 * Makes the workflow that runs a chain of steps, one after the other, under one retry budget. It ends
 * `ok` or `partial`; with a failure of type `holdfast.task-failed` that carries the whole report where a
 * required step got no answer; or with `invalid-request`, before anything is scheduled, where the task is
 * wrong.
 */
export function defineAgentTask(options: AgentTaskOptions): AgentTask {
  return async function agentTask(task) {
    const run = prepareRun({ ...options, tenant: tenantOf(task) });
    refuseInvalid(() =>
      throwFaults(policyNameFaults(options.policy ?? {}, withFallbacks(options))),
    );
    answerShortQueries(run);
    const checked = refuseInvalid(() => checkTask(task, options.tools));
    planSteps(run, checked);
    const results: StepResult[] = [];
    for (const step of checked.steps) {
      const outcome = await runStep(run, { step, results, tools: options.tools });
      results.push({
        id: step.id,
        tool: step.tool,
        kind: outcome.kind,
        ...('value' in outcome ? { value: outcome.value } : {}),
      });
      if (!hasValue(outcome) && step.required !== false)
        throw taskFailure(step, outcome, reportOf(stateOf(run)));
    }
    return taskResult(results, reportOf(stateOf(run)));
  };
}

function answerShortQueries(run: RunContext): void {
  setHandler(stateQuery, () => stateOf(run));
  setHandler(reportQuery, () => reportOf(stateOf(run)));
}

function planSteps(run: RunContext, task: Task): void {
  const state = stateOf(run);
  const planned = task.steps.map(({ id, tool, required }) => ({
    id,
    tool,
    required: required !== false,
  }));
  const deadlineAt =
    task.deadlineMs === undefined ? state.deadlineAt : Date.now() + task.deadlineMs;
  run.state = { ...state, planned, deadlineAt };
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
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
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
): Fallback<unknown, unknown> | undefined {
  if (fallback === undefined || !('tool' in fallback)) return fallback;
  const tool = tools.get(fallback.tool);
  if (tool === undefined) return undefined;
  if (fallback.input === undefined) return { tool };
  const input = resolveReferences(fallback.input, outputs);
  return input.kind === 'dangling' ? undefined : { tool, input: () => input.value };
}

function taskResult(steps: readonly StepResult[], report: RunReport): TaskResult {
  const kind = steps.every((step) => 'value' in step) ? 'ok' : 'partial';
  return { kind, degraded: steps.some((step) => step.kind === 'degraded'), steps, report };
}

function taskFailure(
  step: Step,
  { kind, report }: Unanswered,
  whole: RunReport,
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

/** Returns the tools and those that answer in their place. */
function withFallbacks({ tools, notify }: AgentTaskOptions): AnyTool[] {
  return [...tools, ...(notify === undefined ? [] : [notify])].flatMap((tool) =>
    tool.fallback !== undefined && 'tool' in tool.fallback ? [tool, tool.fallback.tool] : [tool],
  );
}
