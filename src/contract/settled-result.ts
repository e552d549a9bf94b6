import type { Fault } from '../budget/errors.js';
import { zodFaults } from './task-check.js';
import type { AnyTool } from './tool.js';

/** Returns what a person's result stands for: null is nothing where the tool answers nothing. */
export function settledResult({ output }: AnyTool, result: unknown): unknown {
  return result === null && !takes(output, null) && takes(output, undefined) ? undefined : result;
}

/** Lists what keeps a person's result from being the tool's answer. */
export function settledResultFaults(tool: AnyTool, result: unknown): readonly Fault[] {
  const field = `settlement.result of ${tool.name}`;
  try {
    const parsed = tool.output.safeParse(settledResult(tool, result));
    return parsed.success ? [] : zodFaults(parsed.error, result, field);
  } catch (error) {
    // In a validator of an update a throw of the schema's own would be no clear refusal.
    const reason = error instanceof Error ? error.message : String(error);
    return [{ field, rule: `must be checkable: ${reason}`, value: result }];
  }
}

function takes(output: AnyTool['output'], value: unknown): boolean {
  try {
    return output.safeParse(value).success;
  } catch {
    return false; // a schema that can only be asked asynchronously: its own check will tell
  }
}
