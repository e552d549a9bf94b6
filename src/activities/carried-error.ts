import { TemporalFailure } from '@temporalio/common';
import { errorMessage } from '../budget/error-facts.js';
import { isErrorLike, readKey } from '../budget/error-facts-copy.js';

/** How messages are carried: `errorMessage` for one clean line, `ownMessage` for the text as it was. */
export type MessageOf = (thrown: unknown) => string;

const MAX_CAUSES = 8;

/** Returns an error's message as it stands; what can't be read is described. */
export function ownMessage(thrown: unknown): string {
  const message = readKey(thrown, 'message');
  return typeof message === 'string' ? message : errorMessage(thrown);
}

/**
 * Returns a cause that any failure converter can carry: without cycles and getters that throw, at most
 * eight deep; Temporal's own failures stay as they are. Returns undefined where nothing is an error.
 */
export function carriedCause(cause: unknown, messageOf: MessageOf, depth = 1): Error | undefined {
  if (isTemporalFailure(cause)) return cause;
  if (!isErrorLike(cause) || depth > MAX_CAUSES) return undefined;
  const message = messageOf(cause);
  const inner = carriedCause(readKey(cause, 'cause'), messageOf, depth + 1);
  const copy = new Error(message, inner === undefined ? undefined : { cause: inner });
  copy.stack = carriedStack(cause, message);
  return copy;
}

/** Returns the frames of an error under its message; without frames the message alone. */
export function carriedStack(thrown: unknown, message: string): string {
  const stack = readKey(thrown, 'stack');
  const frames = typeof stack === 'string' ? stack.split('\n').filter(isFrame) : [];
  return [`${errorName(thrown)}: ${message}`, ...frames].join('\n');
}

/** Returns an error's name, `Error` where it has none that can be read. */
export function errorName(thrown: unknown): string {
  const name = readKey(thrown, 'name');
  return isErrorLike(thrown) && typeof name === 'string' ? name : 'Error';
}

function isFrame(line: string): boolean {
  return /^\s+at /.test(line);
}

function isTemporalFailure(value: unknown): value is TemporalFailure {
  return value instanceof TemporalFailure;
}
