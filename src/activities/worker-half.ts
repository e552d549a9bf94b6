import type { Context } from '@temporalio/activity';
import type { CallHeader } from '../contract/call-header.js';
import { fingerprint } from '../contract/keys.js';
import type { ConversationStore } from '../conversations/conversations.js';
import type { Ledger } from '../ledger/ledger.js';
import type { Recorder } from '../telemetry/recorder.js';
import type { DownstreamGuard } from './downstream-guard.js';
import type { ClaimedHeader } from './effect-claim.js';
import type { ToolImplementation } from './implement-tool.js';
import { approvalRequired } from './ledger-end-error.js';

/** Puts attributes on the span of an attempt. */
export type Annotate = (
  context: Context,
  attributes: Readonly<Record<string, string | number>>,
) => void;

/** What the worker's half of the gate knows beside the call's header. */
export type WorkerHalf = {
  ledger: Ledger | undefined;
  /** Where the conversations of agent loops stand. */
  conversations: ConversationStore | undefined;
  readonly implementations: Map<string, ToolImplementation>;
  readonly guard: DownstreamGuard;
  readonly measure: Recorder;
  /** Only where the worker traces. */
  annotate: Annotate | undefined;
};

/** Tells whether the ledger answers for a call; one that is only observed goes as it would without holdfast. */
export function isClaimed(header: CallHeader): header is ClaimedHeader {
  const { effect, mode, key, fingerprint } = header;
  return effect !== 'read' && mode === 'on' && key !== null && fingerprint !== null;
}

/**
 * Checks at dispatch that a person has allowed these very arguments, where the tool needs that (R13).
 * @throws LedgerEndError where none has
 */
export function checkApproval(
  implementation: ToolImplementation | undefined,
  { header, input }: { readonly header: CallHeader | undefined; readonly input: unknown },
): void {
  const { approval, name = '' } = implementation?.tool ?? {};
  if (approval === undefined || approval.when?.(input) === false) return;
  const given = header?.approval ?? null;
  if (given === null) throw approvalRequired(name, 'this call carries none');
  // Made anew of what is about to be sent: whatever stands between may have changed the arguments.
  if (given.key !== header?.key || given.fingerprint !== fingerprint([input])) {
    throw approvalRequired(name, 'the one that it carries is for another call, or other arguments');
  }
}
