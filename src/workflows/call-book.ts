import { ActivityFailure, isCancellation } from '@temporalio/workflow';
import type { Sums } from '../contract/call-header.js';
import type { CallLine } from '../contract/run-state.js';
import { cancelledSums } from './attempt-series.js';
import { countEnds, type Ticket } from './breakers.js';
import { callLine, type OpenCall, refusedReport } from './call-end.js';
import { stateOf } from './call-plan.js';
import type { RunContext } from './run-context.js';
import { showRun } from './run-index.js';
import { measureCall } from './run-metrics.js';
import { bookCall } from './run-state.js';

/** The end of a call, as the run books it. */
export type BookedEnd = {
  readonly call: OpenCall;
  readonly line: CallLine;
  readonly sums: Sums;
  readonly succeeded: boolean;
};

/** Books the end of a call: its attempts into the breaker, its share and tokens into the run. */
export function bookEnd(run: RunContext, ticket: Ticket, end: BookedEnd): void {
  const { call, line, sums, succeeded } = end;
  countEnds(run, ticket, { sums, succeeded });
  run.state = bookCall(stateOf(run), { line, share: call.share });
  measureCall(run, call.tool, line);
  run.open.delete(call.call);
  showRun();
}

/** Returns the end of a call that was cancelled, or that a fault of the gate itself ended: neutral either way. */
export function cutShortEnd(call: OpenCall, sumsSoFar: Sums, error: unknown): BookedEnd {
  // Cancelled in a wait of the gate's own, the call has no attempt that could know more.
  const known = error instanceof ActivityFailure ? cancelledSums(error) : sumsSoFar;
  const sums = known ?? sumsSoFar;
  const message = error instanceof Error ? error.message : String(error);
  const reason = 'interrupted';
  const report = refusedReport(call, { sums, class: 'cancelled', message, reason, cutOff: true });
  const isCancelled = isCancellation(error);
  const kind = report.effectMayHaveHappened ? 'unknown' : isCancelled ? 'cancelled' : 'failed';
  const line = callLine(kind, report);
  return { call, line: { ...line, attemptsKnown: known !== undefined }, sums, succeeded: false };
}
