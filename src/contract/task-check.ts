import type { z } from 'zod';
import { type Fault, throwFaults } from '../budget/errors.js';
import { isList, type StepFallback, type StepFallbackWay } from './fallback.js';
import { orderFaults, plainWayFaults } from './fallback-check.js';
import { callName } from './governed-tool.js';
import { isPlainObject } from './json.js';
import { pointerCanExist, toJsonSchema } from './json-schema.js';
import { findReferences, parseReference } from './reference.js';
import { type Step, stepSchema, type Task, taskSchema } from './task.js';
import type { AnyTool } from './tool.js';

/** Tools by their names. */
export type ToolsByName = ReadonlyMap<string, AnyTool>;

/**
 * Returns a task if nothing is wrong with it.
 * @param tools those that it may call; where they aren't known, neither their names nor their inputs are checked
 * @throws InvalidRequestError that lists every fault with its path: unknown tools, wrong inputs,
 * references to nowhere or to a later step, repeated ids, fields that don't exist
 */
export function checkTask(task: unknown, tools: readonly AnyTool[] | undefined): Task {
  if (isTooDeep(task)) {
    const rule = `must not be nested more than ${MAX_NESTING} levels deep`;
    throwFaults([{ field: 'task', rule, value: task }]);
  }
  const byName =
    tools === undefined ? undefined : new Map(tools.map((tool) => [callName(tool), tool]));
  const parsed = taskSchema.safeParse(task);
  if (parsed.success) {
    throwFaults(stepsFaults(parsed.data.steps, byName));
    return parsed.data;
  }
  throwFaults([
    ...zodFaults(parsed.error, task, 'task'),
    ...stepsFaults(readableSteps(task), byName),
  ]);
  throw parsed.error; // zod refuses with at least one issue, so this line is not reached
}

const MAX_NESTING = 200;

/** Walks level by level: a walk by recursion would itself break on what it is to refuse. */
function isTooDeep(value: unknown): boolean {
  let level: ReadonlySet<unknown> = new Set([value]);
  for (let depth = 0; depth <= MAX_NESTING; depth += 1) {
    const next = [...level].flatMap((one): unknown[] =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    );
    if (next.length === 0) return false;
    level = new Set(next);
  }
  return true;
}

/** Returns what can be read of the steps of a task whose shape is wrong, so that all faults are named. */
function readableSteps(task: unknown): (Step | undefined)[] {
  if (!isPlainObject(task) || !Array.isArray(task.steps)) return [];
  return task.steps.map((step: unknown) => {
    if (!isPlainObject(step) || typeof step.id !== 'string' || typeof step.tool !== 'string') {
      return undefined;
    }
    const { id, tool, input } = step;
    const fallback = stepSchema.shape.fallback.safeParse(step.fallback).data;
    const compensate = stepSchema.shape.compensate.safeParse(step.compensate).data;
    return {
      id,
      tool,
      input,
      ...(fallback === undefined ? {} : { fallback }),
      ...(compensate === undefined ? {} : { compensate }),
    };
  });
}

/** Turns zod's issues into faults with the path, the rule and the value at that path. */
export function zodFaults(error: z.ZodError, input: unknown, field: string): Fault[] {
  return error.issues.map((issue) => ({
    field: [field, ...issue.path.map(String)].join('.'),
    rule: issue.message,
    value: issue.code === 'unrecognized_keys' ? issue.keys.join(', ') : valueAt(input, issue.path),
  }));
}

function stepsFaults(
  steps: readonly (Step | undefined)[],
  tools: ToolsByName | undefined,
): Fault[] {
  const faults: Fault[] = [];
  const earlier = new Map<string, AnyTool | undefined>();
  const ids = new Set(steps.map((step) => step?.id));
  steps.forEach((step, index) => {
    if (step === undefined) return;
    const field = `task.steps.${index}`;
    if (earlier.has(step.id)) {
      faults.push({
        field: `${field}.id`,
        rule: 'must differ from the ids of earlier steps',
        value: step.id,
      });
    }
    const context = { earlier, ids, tools };
    faults.push(...callFaults({ tool: step.tool, input: step.input, field }, context));
    if (step.fallback !== undefined) {
      faults.push(
        ...fallbackFaults({ step, fallback: step.fallback, field: `${field}.fallback` }, context),
      );
    }
    earlier.set(step.id, tools?.get(step.tool));
    if (step.compensate !== undefined) {
      const { tool, input = step.input } = step.compensate;
      const undo = { tool, input, field: `${field}.compensate` };
      faults.push(...callFaults(undo, { ...context, own: step.id }));
    }
  });
  return faults;
}

type CheckContext = {
  readonly earlier: ReadonlyMap<string, AnyTool | undefined>;
  readonly ids: ReadonlySet<string | undefined>;
  /** Undefined where they aren't known. */
  readonly tools: ToolsByName | undefined;
  /** The step that is undone: it has run before, and may be named. */
  readonly own?: string;
};

type CallToCheck = { readonly tool: string; readonly input: unknown; readonly field: string };

function callFaults(call: CallToCheck, context: CheckContext): Fault[] {
  const { tools } = context;
  const tool = tools?.get(call.tool);
  const references = findReferences(call.input);
  const faults: Fault[] = [];
  if (tools !== undefined && tool === undefined) {
    const known = [...tools.keys()].join(', ');
    faults.push({
      field: `${call.field}.tool`,
      rule: `must be one of the tools ${known}`,
      value: call.tool,
    });
  }
  for (const { path, text } of references) {
    const rule = referenceRule(text, context);
    if (rule !== undefined) {
      faults.push({ field: [call.field, 'input', ...path, '$ref'].join('.'), rule, value: text });
    }
  }
  if (tool === undefined) return faults;
  const parsed = parsedInput(tool, call);
  if (Array.isArray(parsed)) return [...faults, ...parsed];
  if (parsed.success) return faults;
  // What a reference will bring isn't known yet: issues at, under or above its place wait for the run.
  const known = parsed.error.issues.filter(
    (issue: z.core.$ZodIssue) => !references.some(({ path }) => awaits(issue, path)),
  );
  const error = { ...parsed.error, issues: known } as z.ZodError; // only `issues` is read
  return [...faults, ...zodFaults(error, call.input, `${call.field}.input`)];
}

/** A schema's own checks may throw, or be asynchronous, which a workflow can't wait for. */
function parsedInput(
  tool: AnyTool,
  call: CallToCheck,
): ReturnType<AnyTool['input']['safeParse']> | Fault[] {
  try {
    return tool.input.safeParse(call.input);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const rule = `must be checkable by ${tool.name}: ${reason}`;
    return [{ field: `${call.field}.input`, rule, value: call.input }];
  }
}

function referenceRule(text: unknown, context: CheckContext): string | undefined {
  const reference = parseReference(text);
  if (reference === undefined) return 'must be "stepId" or "stepId#/json/pointer"';
  if (!context.earlier.has(reference.step)) {
    return context.ids.has(reference.step)
      ? `must name an earlier step, not ${context.own === undefined ? 'this or ' : ''}a later one`
      : 'must name a step of the task';
  }
  const tool = context.earlier.get(reference.step);
  if (tool === undefined) return undefined;
  if (pointerCanExist(toJsonSchema(tool.output, 'output'), reference.tokens)) return undefined;
  return `must point at something that ${tool.name} returns`;
}

function fallbackFaults(
  place: { readonly step: Step; readonly fallback: StepFallback; readonly field: string },
  context: CheckContext,
): Fault[] {
  const { step, fallback, field } = place;
  if (!isList(fallback)) return wayFaults({ step, way: fallback, field }, context);
  return [
    ...orderFaults(fallback, field),
    ...fallback.flatMap((way, index) =>
      wayFaults({ step, way, field: `${field}.${index}` }, context),
    ),
  ];
}

function wayFaults(
  place: { readonly step: Step; readonly way: StepFallbackWay; readonly field: string },
  context: CheckContext,
): Fault[] {
  const { step, way, field } = place;
  if ('tool' in way) {
    const input = way.input === undefined ? step.input : way.input;
    return callFaults({ tool: way.tool, input, field }, context);
  }
  const tool = context.tools?.get(step.tool);
  if (tool === undefined) return [];
  if (!('value' in way)) return plainWayFaults(tool, way, field);
  const parsed = tool.output.safeParse(way.value);
  return parsed.success ? [] : zodFaults(parsed.error, way.value, `${field}.value`);
}

/** Tells whether an issue may vanish once the reference at a path is resolved. */
function awaits(issue: z.core.$ZodIssue, reference: readonly string[]): boolean {
  const path = issue.path.map(String);
  if (path.length < reference.length && issue.code === 'unrecognized_keys') return false;
  const shared = Math.min(path.length, reference.length);
  return path.slice(0, shared).every((part, index) => part === reference[index]);
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let at = input;
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = (at as Readonly<Record<PropertyKey, unknown>>)[key]; // only read, and undefined is an answer
  }
  return at;
}
