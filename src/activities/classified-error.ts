import type { Classification, ErrorFacts } from '../budget/classify-types.js';
import { HoldfastError } from '../budget/errors.js';

/** An error that brings its own facts, and where it knows better, its own verdict. */
export abstract class ClassifiedError extends HoldfastError {
  abstract readonly facts: ErrorFacts;
  readonly classification: Classification | undefined = undefined;
}

/** Facts of an error that no server's answer is behind. */
export const noFacts: ErrorFacts = {
  status: null,
  headers: {},
  code: null,
  name: null,
  body: null,
  cause: null,
};
