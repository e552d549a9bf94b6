import type { ActivityInput } from '@temporalio/workflow';
import { noSums } from '../contract/call-header.js';
import type { Outcome } from '../contract/outcome.js';
import type { AnyTool } from '../contract/tool.js';
import { readError, readResult } from './attempt-series.js';
import { answeredReport, failedEnd, refusedReport, unsharedCall } from './call-end.js';
import { runSettingsOf, settingsOf } from './call-plan.js';
import type { GateCall } from './gate-call.js';
import type { RunContext } from './run-context.js';
import { scheduleInput } from './schedule.js';

/** A call in mode `off`: the gate lets it through, and nobody counts its attempts. */
export type UngovernedCall = {
  readonly tool: AnyTool;
  readonly step: string | undefined;
  /** Its number, where it got one since it had to wait for a person. */
  readonly call: number | undefined;
  readonly schedule: () => Promise<unknown>;
};

/** Makes a call that nothing governs. Returns its outcome; throws only when it is cancelled. */
export async function callUngoverned<T>({
  tool,
  step,
  call: number = 0,
  schedule,
}: UngovernedCall): Promise<Outcome<T>> {
  const call = unsharedCall({ call: number, step, tool });
  const scheduled = { before: noSums, maximumAttempts: 1 };
  try {
    const end = readResult(await schedule(), scheduled);
    const value = end.value as T; // the worker's output schema has taken it
    return { kind: 'ok', value, report: answeredReport(call, end) };
  } catch (error) {
    const { end } = readError(error, scheduled);
    if (end.kind === 'failed') return failedEnd(call, end);
    const message = 'message' in end ? end.message : 'The attempt asked to wait.';
    const sums = { ...noSums, ambiguous: end.kind === 'interrupted' };
    const refusal = { sums, class: 'timeout', reason: 'attempts', blind: true } as const;
    const kind = sums.ambiguous && tool.effect === 'write' ? 'unknown' : 'exhausted';
    return { kind, report: refusedReport(call, { ...refusal, message }) };
  }
}

/**
 * Returns the activity of a call that a person has allowed in mode `off`: nothing governs it, but the worker
 * sees that it was allowed.
 */
export function approvedInput(
  run: RunContext,
  { tool, identity }: GateCall,
  input: ActivityInput,
): ActivityInput {
  return scheduleInput(input, {
    tool,
    settings: settingsOf(run, tool),
    mode: 'observe',
    adopted: false,
    identity,
    tenant: run.tenant,
    share: tool.maxRetries,
    before: noSums,
    maximumAttempts: 1 + tool.maxRetries,
    timeLeftMs: Number.POSITIVE_INFINITY,
    tokensLeft: null,
    maxPayloadBytes: runSettingsOf(run).maxPayloadBytes,
    settlement: null,
    waitsForWrite: false,
    ticket: null,
    byReference: false,
  });
}
