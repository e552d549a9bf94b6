import { throwFaults } from '../../budget/errors.js';
import { batchInputFaults } from '../../contract/batch-check.js';
import { deliveredPolicyFaults } from '../../contract/delivered-policy.js';
import { isPlainObject } from '../../contract/json.js';
import { loopTaskSchema } from '../../contract/loop.js';
import type { PolicyInput } from '../../contract/policy.js';
import { checkTask, zodFaults } from '../../contract/task-check.js';
import type { AnyTool } from '../../contract/tool.js';
import { UsageError } from '../cli-errors.js';
import { importModule } from '../import-module.js';
import { checkedFile, readJsonInput } from '../json-input.js';

/** What a workflow type is, as far as its input goes. */
export const taskKinds = ['task', 'loop', 'batch', 'other'] as const;

/** One of them. */
export type TaskKind = (typeof taskKinds)[number];

const kindsByType: Readonly<Record<string, TaskKind>> = {
  agentTask: 'task',
  agentLoop: 'loop',
  batch: 'batch',
};

/** Returns what a workflow type of this name is, where nobody says it. */
export function kindOfType(type: string): TaskKind {
  return Object.hasOwn(kindsByType, type) ? (kindsByType[type] ?? 'other') : 'other';
}

/** What is checked of a run before it is started. */
export type InputChoice = {
  readonly kind: TaskKind;
  readonly input: string | undefined;
  readonly continuesBudgetOf: string | undefined;
  /** Path of a module that exports the task's tools. */
  readonly tools: string | undefined;
};

/**
 * Reads and checks the argument of a workflow; an empty list where there is none.
 * @throws UsageError where a file can't be read or an option doesn't suit the kind
 * @throws InvalidFileError with every fault of the argument
 */
export async function readTaskInput(choice: InputChoice): Promise<readonly unknown[]> {
  const { kind, input: file, continuesBudgetOf } = choice;
  const isOfAgent = kind === 'task' || kind === 'loop';
  if (continuesBudgetOf !== undefined && !isOfAgent) {
    throw new UsageError(
      '--continues-budget-of is for tasks and loops: say --kind task or --kind loop.',
    );
  }
  if (file === undefined) {
    if (kind === 'other') return [];
    throw new UsageError(
      `A ${kind} needs its JSON: --input <file>, or --input - for standard input.`,
    );
  }
  const json = await readJsonInput(file);
  const input =
    continuesBudgetOf !== undefined && isPlainObject(json) ? { ...json, continuesBudgetOf } : json;
  const tools = choice.tools === undefined ? undefined : await readTools(choice.tools);
  checkedFile(file, () => checkInput(kind, input, tools));
  return [input];
}

/** Reads a policy that is sent with a start. Throws `InvalidFileError` with its faults. */
export async function readPolicy(file: string): Promise<PolicyInput> {
  const policy = await readJsonInput(file);
  checkedFile(file, () => throwFaults(deliveredPolicyFaults(policy)));
  return policy as PolicyInput; // as checked
}

function checkInput(kind: TaskKind, input: unknown, tools: readonly AnyTool[] | undefined): void {
  if (kind === 'task') checkTask(input, tools);
  if (kind === 'batch') throwFaults(batchInputFaults(input));
  if (kind !== 'loop') return;
  const parsed = loopTaskSchema.safeParse(input);
  if (!parsed.success) throwFaults(zodFaults(parsed.error, input, 'task'));
}

/** Returns the tools among what a module exports, lists of them included. */
async function readTools(path: string): Promise<readonly AnyTool[]> {
  const exported = Object.values(await importModule(path)).flat();
  const tools = [...new Set(exported.filter(isTool))];
  if (tools.length > 0) return tools;
  throw new UsageError(`The module ${path} exports no tools, nor a list of them.`);
}

/** What defineTool and defineModel make. */
function isTool(value: unknown): value is AnyTool {
  return (
    isPlainObject(value) &&
    typeof value.name === 'string' &&
    typeof value.effect === 'string' &&
    typeof value.downstream === 'string' &&
    isPlainObject(value.estimate)
  );
}
