import { condition } from '@temporalio/workflow';
import type { Fault } from '../budget/errors.js';
import type { GovernedTool } from '../contract/governed-tool.js';
import type { Settlement, WaitingSettlement } from '../contract/messages.js';
import { settingsOf, stateOf } from './call-plan.js';
import { logDecision } from './decisions.js';
import { personsWord } from './person-wait.js';
import type { RunContext } from './run-context.js';
import { taskTimeLeftMs } from './run-state.js';

/** A write of which nobody knows whether it happened. */
export type UnknownWrite = Pick<WaitingSettlement, 'key' | 'callId' | 'step' | 'reason'> & {
  readonly tool: GovernedTool;
  /** Lists what keeps a value from being the tool's answer. */
  readonly resultFaults?: ((value: unknown) => readonly Fault[]) | undefined;
};

/**
 * Waits until somebody says whether an unknown write has happened; undefined where nobody did before the
 * task's deadline, which runs on. Throws only when it is cancelled.
 */
export async function awaitSettlement(
  run: RunContext,
  { tool, resultFaults = () => [], ...unknown }: UnknownWrite,
): Promise<Settlement | undefined> {
  const { deadlineAt } = stateOf(run);
  const shown = { ...unknown, tool: tool.name, requestedAt: Date.now(), deadlineAt };
  logDecision({ tool, attempt: 1, decision: 'ask-person', reason: unknown.reason });
  const said = await personsWord(run, {
    list: run.people.settlements,
    waiting: {
      id: unknown.key,
      shown,
      deciders: settingsOf(run, tool).call.deciders,
      faults: ({ done, result }) => (done ? resultFaults(result) : []),
    },
    notice: { kind: 'settlement', ...shown },
    until: (isSaid) => untilDeadline(run, isSaid),
  });
  if (said === undefined) return undefined;
  const { done, by } = said.word;
  const reason = `${done ? 'it has happened' : 'it has not happened'}, says ${by}`;
  logDecision({ tool, attempt: 1, decision: 'settled', reason });
  return said.word;
}

/** The deadline moves while another call waits for a decision. */
async function untilDeadline(run: RunContext, isSaid: () => boolean): Promise<void> {
  for (;;) {
    const leftMs = taskTimeLeftMs(stateOf(run), Date.now());
    if (leftMs < 1 || isSaid()) return;
    const isPaused = (): boolean => stateOf(run).pausedAt !== undefined;
    // While it stands still a timer would only start the next one, again and again.
    if (isPaused()) await condition(() => isSaid() || !isPaused());
    else await (Number.isFinite(leftMs) ? condition(isSaid, Math.ceil(leftMs)) : condition(isSaid));
  }
}
