import type { LoopEffect, NoAnswer } from '../contract/loop.js';
import type { LoopEnd, LoopOptions } from './loop-options.js';

/** Returns what a user is told where no model answers. */
export function standInText({ fallback }: LoopOptions, end: LoopEnd): string {
  if (typeof fallback === 'string') return fallback;
  if (fallback === undefined) return plainText(end);
  try {
    const text: unknown = fallback(end);
    return typeof text === 'string' && text !== '' ? text : plainText(end);
  } catch {
    return plainText(end); // a throw in a workflow would repeat its task for ever
  }
}

/** Says what was done, what was not, and what nobody knows. */
function plainText({ reason, effects }: LoopEnd): string {
  const of = (...kinds: readonly LoopEffect['kind'][]): string =>
    effects
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ tool }) => tool)
      .join(', ');
  const done = of('ok');
  const unknown = of('unknown');
  const open = of('exhausted', 'rejected', 'failed', 'degraded');
  const denied = of('denied');
  return [
    'This could not be finished, and is left to a person.',
    ...(done === '' && unknown === '' ? ['Nothing was changed.'] : []),
    ...(done === '' ? [] : [`Done: ${done}.`]),
    ...(unknown === '' ? [] : [`May have been done, which nobody knows yet: ${unknown}.`]),
    ...(open === '' ? [] : [`Not done: ${open}.`]),
    ...(denied === '' ? [] : [`Not allowed: ${denied}.`]),
    `(${reason})`,
  ].join(' ');
}

/** What the model is told before its last answer. */
export function lastAnswerNote(reason: NoAnswer): string {
  return (
    `No tool can be called any more (${reason}). Give the last answer with what is known: ` +
    'say what was done, what was not done, and what is uncertain.'
  );
}
