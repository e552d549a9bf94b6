import type { ChildWorkflowOptions } from '@temporalio/workflow';
import type { ChildHeader } from '../contract/call-header.js';

/** What a governor tells a child that it starts. */
export type ChildOrder = {
  readonly tenant: string | undefined;
  /** Absent where the child gets no slice, and its name is left to the SDK. */
  readonly child?: Omit<ChildHeader, 'v'>;
};

// A symbol of the child's options, as a call's request is one of an activity's: interceptors in between keep it.
const ORDER = Symbol.for('holdfast.child-order');

type Marked = ChildWorkflowOptions & { readonly [ORDER]?: ChildOrder };

/** Puts what a child is told into its options. */
export function withChildOrder<Options extends ChildWorkflowOptions>(
  options: Options,
  order: ChildOrder,
): Options {
  return { ...options, [ORDER]: order };
}

/** Takes it out again; undefined for a child that no governor starts. */
export function childOrder(options: ChildWorkflowOptions): ChildOrder | undefined {
  const marked: Marked = options;
  return marked[ORDER];
}
