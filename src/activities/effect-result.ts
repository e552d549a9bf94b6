import { describeFaults, type Fault } from '../budget/errors.js';
import type { CallHeader } from '../contract/call-header.js';
import type { EffectHappened } from '../contract/effect-record.js';
import { jsonCopy } from '../contract/json.js';
import { jsonFault } from '../contract/keys.js';
import { sizeFault } from '../contract/payload.js';
import { resultNotKept } from './ledger-end-error.js';

/** Returns what the ledger keeps of an answer: the answer, or why it can't be kept (R12). */
export function keepableResult(
  { maxPayloadBytes }: Pick<CallHeader, 'maxPayloadBytes'>,
  { tool, value }: { readonly tool: string; readonly value: unknown },
): EffectHappened {
  if (value === undefined) return { kind: 'result', value };
  const field = `${tool}.result`;
  const fault =
    bytesFault(field, value) ?? jsonFault(field, value) ?? sizeFault(field, value, maxPayloadBytes);
  // What the caller gets a replay has to answer: objects of classes come as plain ones.
  if (fault === undefined) return { kind: 'result', value: jsonCopy(value) };
  const message = `${tool} has happened, but its result can't be kept: ${describeFaults([fault])}`;
  return { kind: 'no-result', failure: { class: 'validation', message } };
}

/** Bytes have a payload of their own in Temporal: JSON would make an object with numbered fields of them. */
function bytesFault(field: string, value: unknown): Fault | undefined {
  return ArrayBuffer.isView(value) ? { field, rule: 'must be JSON', value: 'bytes' } : undefined;
}

/** Returns the result of an effect that has happened. @throws LedgerEndError where none could be kept */
export function keptValue(effect: EffectHappened): unknown {
  if (effect.kind === 'no-result') throw resultNotKept(effect.failure);
  return effect.value;
}
