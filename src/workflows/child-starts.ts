import type { ChildWorkflowOptions } from '@temporalio/workflow';
import sdk from '@temporalio/workflow/lib/workflow.js';

const NAMED = Symbol.for('holdfast.child-named');

type Marked = ChildWorkflowOptions & { readonly [NAMED]?: boolean };
type Start = (child: unknown, options?: ChildWorkflowOptions) => Promise<unknown>;

/**
 * Makes the SDK's own functions say whether a child was named. They give an unnamed child a random id before any
 * interceptor sees it, and by its looks that id could as well be the caller's. Called where this module's users are
 * loaded, since the SDK freezes what its runs share; where it comes too late, nobody knows of names.
 */
export function noteChildNames(): void {
  if (Object.isFrozen(sdk)) return;
  Object.assign(sdk, {
    startChild: noting(sdk.startChild as Start), // its overloads come to this
    executeChild: noting(sdk.executeChild as Start),
  });
}

/** Tells whether a child was named by whoever starts it; undefined where nobody knows. */
export function isNamedChild(options: ChildWorkflowOptions): boolean | undefined {
  const marked: Marked = options;
  return marked[NAMED];
}

function noting(start: Start): Start {
  return (child, options) => {
    const marked: Marked = { [NAMED]: options?.workflowId != null, ...options };
    return start(child, marked);
  };
}
