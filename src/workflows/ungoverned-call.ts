import { noSums } from '../contract/call-header.js';
import type { Outcome } from '../contract/outcome.js';
import type { AnyTool } from '../contract/tool.js';
import { readError, readResult } from './attempt-series.js';
import { answeredReport, failedEnd, refusedReport, unsharedCall } from './call-end.js';

/** A call in mode `off`: the gate lets it through, and nobody counts its attempts. */
export type UngovernedCall = {
  readonly tool: AnyTool;
  readonly step: string | undefined;
  readonly schedule: () => Promise<unknown>;
};

/** Makes a call that nothing governs. Returns its outcome; throws only when it is cancelled. */
export async function callUngoverned<T>({
  tool,
  step,
  schedule,
}: UngovernedCall): Promise<Outcome<T>> {
  const call = unsharedCall({ call: 0, step, tool });
  const scheduled = { before: noSums, maximumAttempts: 1 };
  try {
    const end = readResult(await schedule(), scheduled);
    const value = end.value as T; // the worker's output schema has taken it
    return { kind: 'ok', value, report: answeredReport(call, end) };
  } catch (error) {
    const { end } = readError(error, scheduled);
    if (end.kind === 'failed') return failedEnd(call, end);
    const message = 'message' in end ? end.message : 'The attempt asked to wait.';
    const refusal = { sums: noSums, class: 'timeout', reason: 'attempts', blind: true } as const;
    return { kind: 'exhausted', report: refusedReport(call, { ...refusal, message }) };
  }
}
