import { z } from 'zod';
import type { ToldUndo } from './compensation.js';
import type { FailureReport, OutcomeKind } from './outcome.js';
import type { RunReport } from './run-state.js';

const ID = /^[a-zA-Z0-9_.-]{1,64}$/;
const id = z.string().regex(ID, `must match ${ID.source}`);

const FALLBACK =
  'must be {"value": …}, {"text": "…"}, {"truncate": {"field": "…", "characters"?: …}}, ' +
  '{"tool": "…", "input"?: …} or {"disabled": "…"}, or a list of these';

const fallbackWaySchema = z.union([
  z.strictObject({ value: z.unknown() }),
  z.strictObject({ text: z.string() }),
  z.strictObject({
    truncate: z.strictObject({ field: z.string(), characters: z.number().optional() }),
  }),
  z.strictObject({ tool: z.string(), input: z.unknown().optional() }),
  z.strictObject({ disabled: z.string() }),
]);

const fallbackSchema = z.union([fallbackWaySchema, z.array(fallbackWaySchema)], FALLBACK);

const compensateSchema = z.strictObject({ tool: z.string(), input: z.unknown().optional() });

/** A step as plain JSON. */
export const stepSchema = z.strictObject({
  id,
  tool: z.string(),
  input: z.unknown().optional(),
  required: z.boolean().optional(),
  fallback: fallbackSchema.optional(),
  compensate: compensateSchema.optional(),
});

/** A task as plain JSON, as `temporal workflow start --input-file` hands it in. */
export const taskSchema = z.strictObject({
  steps: z.array(stepSchema).min(1, 'must hold at least one step'),
  tenant: z.string().min(1).optional(),
  deadlineMs: z.number().positive().optional(),
  continuesBudgetOf: z.string().min(1).optional(),
});

/**
 * One step: a tool and its input, in which `{"$ref": "stepId#/pointer"}` takes an earlier output. `compensate` is
 * the call that undoes it; there a reference may name the step itself.
 */
export type Step = Readonly<z.infer<typeof stepSchema>>;

/** A chain of steps, run in their order. A step is required unless it says otherwise. */
export type Task = {
  readonly steps: readonly Step[];
  /** For whom it runs: budgets and limits are kept apart by it. */
  readonly tenant?: string | undefined;
  /** Milliseconds that it may take. @default the policy's */
  readonly deadlineMs?: number | undefined;
  /**
   * Id of the workflow that an earlier try ran under: what was spent there, and by the tries before it, counts
   * here too. A "try again" that names it opens no fresh budget.
   */
  readonly continuesBudgetOf?: string | undefined;
};

/** How one step ended. */
export type StepResult = {
  readonly id: string;
  readonly tool: string;
  readonly kind: OutcomeKind;
  /** The output, where there is one. */
  readonly value?: unknown;
};

/** How a task ended: `ok` with every step answered, `partial` with an optional one unanswered. */
export type TaskResult = {
  readonly kind: 'ok' | 'partial';
  /** True where a fallback answered for some step. */
  readonly degraded: boolean;
  readonly steps: readonly StepResult[];
  readonly report: RunReport;
};

/**
 * What the failure of a task says in its details: the whole report, the step that got no answer, and what became
 * of undoing the steps before it.
 */
export type TaskFailure = Omit<RunReport, 'compensations'> & {
  readonly failedStep: string;
  readonly failure: FailureReport;
  readonly compensations: readonly ToldUndo[];
};
