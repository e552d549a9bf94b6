import { classify } from '../budget/classify.js';
import type { Classification, ErrorFacts } from '../budget/classify-types.js';
import { describeFaults, type Fault } from '../budget/errors.js';
import { showValue } from '../budget/show-value.js';
import { isPlainObject } from '../contract/json.js';
import { ClassifiedError, noFacts } from './classified-error.js';

/** An input that the tool's schema refuses: the caller's fault, which no fallback hides. */
export class InvalidInputError extends ClassifiedError {
  readonly kind = 'invalid-input';
  readonly facts = noFacts;
  override readonly classification: Classification = {
    class: 'invalid-request',
    retryable: false,
    retryAfterMs: null,
    fallback: false,
  };

  constructor(readonly faults: readonly Fault[]) {
    super(describeFaults(faults));
  }
}

/** An answer that the tool's output schema refuses: another answer is wanted, not the same one again. */
export class InvalidAnswerError extends ClassifiedError {
  readonly kind = 'invalid-answer';
  readonly facts = noFacts;
  override readonly classification: Classification = {
    class: 'validation',
    retryable: false,
    retryAfterMs: null,
    fallback: true,
  };

  constructor(readonly faults: readonly Fault[]) {
    super(describeFaults(faults));
  }
}

/** A tool that answered that it failed, such as `{success: false, retryable: false}`. */
export class ToolRefusedError extends ClassifiedError {
  readonly kind = 'tool-refused';
  readonly facts: ErrorFacts;
  override readonly classification: Classification;
  /** True where the tool says that this answer holds for good: the ledger keeps it. */
  readonly final: boolean;

  constructor(tool: string, answer: Readonly<Record<string, unknown>>) {
    super(`${tool} answered that it failed: ${showValue(answer)}`);
    this.facts = { ...noFacts, body: answer };
    const verdict = classify({ error: this.facts });
    this.final = answer.final === true;
    const { retryable } = answer;
    this.classification = typeof retryable === 'boolean' ? { ...verdict, retryable } : verdict;
  }
}

/** Returns the error behind an answer that says it is one; undefined for any other answer. */
export function refusedAnswer(tool: string, answer: unknown): ToolRefusedError | undefined {
  if (!isPlainObject(answer)) return undefined;
  const isRefusal = answer.success === false || answer.isError === true;
  return isRefusal ? new ToolRefusedError(tool, answer) : undefined;
}
