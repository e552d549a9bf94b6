import type { OutcomeKind } from './outcome.js';

/**
 * What became of undoing one call: `undone`; `degraded`: a fallback answered in the undo tool's place; `unknown`:
 * the undo may have happened; `failed`: it got no answer; `not-made`: its input couldn't be made.
 */
export type UndoKind = 'undone' | 'degraded' | 'unknown' | 'failed' | 'not-made';

/** A call that was to be undone, and what became of it. */
export type Undo = {
  /** Number of the call that is undone. */
  readonly call: number;
  readonly step?: string;
  /** The tool that is undone. */
  readonly tool: string;
  /** The tool that undoes it. */
  readonly by: string;
  readonly kind: UndoKind;
};

/** The same with the reason why it wasn't undone. */
export type ToldUndo = Undo & { readonly message?: string };

/** Returns how an undo went whose call ended so. */
export function undoKind(kind: OutcomeKind): UndoKind {
  if (kind === 'ok') return 'undone';
  return kind === 'degraded' || kind === 'unknown' ? kind : 'failed';
}
