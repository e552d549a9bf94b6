import type { ActivityOptions } from '@temporalio/workflow';
import type { GateCall } from './gate-call.js';

// The library's door hands its call to the interceptor inside the activity's options, since an
// interceptor that stands between may spread them but drops no symbol.
const REQUEST = Symbol.for('holdfast.call');

type Marked = ActivityOptions & { [REQUEST]?: GateCall };

/** Puts a call of the library's door into activity options. */
export function withCallRequest(options: ActivityOptions, call: GateCall): ActivityOptions {
  const marked: Marked = { ...options, [REQUEST]: call };
  return marked;
}

/** Takes it out again; undefined for a plain activity call. */
export function callRequest(options: ActivityOptions): GateCall | undefined {
  const marked: Marked = options;
  return marked[REQUEST];
}
