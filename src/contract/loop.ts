import { z } from 'zod';
import type { ExhaustionReason, OutcomeKind } from './outcome.js';
import type { RunReport } from './run-state.js';

const said = z.strictObject({ role: z.enum(['user', 'assistant']), content: z.string().min(1) });

/** What an agent loop is asked, as plain JSON: a prompt, or what was said so far. */
export const loopTaskSchema = z
  .strictObject({
    prompt: z.string().min(1).optional(),
    messages: z.array(said).min(1).optional(),
    tenant: z.string().min(1).optional(),
    deadlineMs: z.number().positive().optional(),
    continuesBudgetOf: z.string().min(1).optional(),
  })
  .refine(
    ({ prompt, messages }) => (prompt === undefined) !== (messages === undefined),
    'must hold either a prompt or messages',
  );

/** What an agent loop is asked. */
export type LoopTask = {
  /** What the user wants; `messages` in its place carries a conversation that was had before. */
  readonly prompt?: string | undefined;
  readonly messages?:
    | readonly { readonly role: 'user' | 'assistant'; readonly content: string }[]
    | undefined;
  /** For whom it runs: budgets and limits are kept apart by it. */
  readonly tenant?: string | undefined;
  /** Milliseconds that it may take. @default the policy's */
  readonly deadlineMs?: number | undefined;
  /** An earlier workflow whose spent budget counts as this one's: a user's "try again". */
  readonly continuesBudgetOf?: string | undefined;
};

/** What ended a loop before its model thought itself done. */
export type LoopLimit = 'turns' | 'deadline' | 'tokens' | 'cost' | 'tools-withdrawn';

/** Why a loop's model gave no answer. */
export type NoAnswer = LoopLimit | ExhaustionReason | 'empty-answer';

/** A call with an effect that the model asked for: what a truthful answer has to speak of. */
export type LoopEffect = {
  readonly tool: string;
  readonly kind: OutcomeKind;
  /** True where nobody knows whether it happened, as when its answer got lost. */
  readonly mayHaveHappened?: true;
  /** The arguments; absent where they are long. */
  readonly input?: unknown;
};

/** Something that answered in another's place. */
export type LoopFallback = {
  readonly from: string;
  readonly to: string;
  readonly reason: ExhaustionReason;
};

/** What a loop did, however it ended. */
export type LoopFacts = {
  /** Answers of the model that counted: those of which all calls were rejected cost none. */
  readonly turns: number;
  readonly tokens: number;
  /** Millionths of a currency unit; null where a model's price isn't known. */
  readonly cost: number | null;
  /** Calls with effects, the last hundred. A call that the model repeated stands here once. */
  readonly effects: readonly LoopEffect[];
  /** What answered in a tool's or a model's place. */
  readonly fallbacks: readonly LoopFallback[];
  readonly report: RunReport;
};

/**
 * How a loop ended. `ok`: the model ended it. `limited`: a limit did, and the text is the model's last answer, made
 * without tools. `degraded`: no model answered, and the text stands in.
 */
export type LoopResult = LoopFacts &
  (
    | { readonly kind: 'ok'; readonly text: string }
    | { readonly kind: 'limited'; readonly text: string; readonly reason: LoopLimit }
    | {
        readonly kind: 'degraded';
        readonly text: string;
        /** The model that couldn't answer. */
        readonly from: string;
        /** `text`, or what else stood in. */
        readonly to: string;
        readonly reason: NoAnswer;
      }
  );
