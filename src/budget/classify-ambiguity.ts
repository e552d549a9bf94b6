import { attemptEnds } from './attempt-ends.js';
import {
  abortCodes,
  networkCodes,
  serverCodes,
  socketTimeoutCodes,
  timeoutCodes,
  unsentCodes,
} from './classify-codes.js';
import { gatherEvidence } from './classify-evidence.js';
import type { Classification, ErrorFacts } from './classify-types.js';
import { isRecord, plainKey, walkError } from './classify-walk.js';

/** Answers by which a server says that it applied nothing (notes/ledger.md, R6). */
const refusals: ReadonlySet<number> = new Set([400, 401, 403, 404, 413, 422, 429]);

const unsent: ReadonlySet<string> = new Set(unsentCodes);
/** Codes that prove it only where the system call was the one that connects. */
const unsentWhenConnecting = new Set(['etimedout', 'ehostunreach', 'enetunreach', 'enetdown']);
const telling: ReadonlySet<string> = new Set([
  ...networkCodes,
  ...socketTimeoutCodes,
  ...timeoutCodes,
  ...serverCodes,
  ...abortCodes,
]);

type Witness = 'unsent' | 'perhaps-sent' | 'silent';

/** What one layer of an error says about whether anything left this machine. */
function hear(layer: Readonly<Record<string, unknown>>): Witness {
  const body = isRecord(layer.body) ? layer.body : {};
  if (Array.isArray(layer.errors ?? body.errors)) return 'silent'; // Its parts speak for it.
  const message = layer.message ?? body.message;
  // RFC 9113, 8.7: a refused stream was not processed at all.
  if (typeof message === 'string' && message.includes('NGHTTP2_REFUSED_STREAM')) return 'unsent';
  const isConnecting = (layer.syscall ?? body.syscall) === 'connect';
  const words = [layer.code, layer.name].filter((word) => typeof word === 'string').map(plainKey);
  const known = words.flatMap((word) => [word, word.replace(/(?:error|exception)$/, '')]);
  if (known.some((word) => unsent.has(word))) return 'unsent';
  if (isConnecting && known.some((word) => unsentWhenConnecting.has(word))) return 'unsent';
  return known.some((word) => telling.has(word)) ? 'perhaps-sent' : 'silent';
}

/**
 * Returns true only where the facts prove that nothing was sent or applied: the connection was
 * refused, the name didn't resolve, connecting timed out, or the server refused the stream. One
 * layer or part that says otherwise, or any status, is enough for false.
 */
export function provenUnsent(facts: Partial<ErrorFacts>): boolean {
  if (gatherEvidence({ error: facts }).status !== null || (facts.status ?? null) !== null) {
    return false;
  }
  const layers = walkError(facts).flatMap((visit) =>
    visit.kind === 'object' ? [hear(visit.value)] : [],
  );
  return layers.includes('unsent') && !layers.includes('perhaps-sent');
}

/**
 * Returns whether a write that ended so may have been applied all the same: timeouts, resets,
 * 5xx, cancellations and unknown ends. Refusals (400, 401, 403, 404, 413, 422, 429), limits,
 * conflicts and ends before sending are not ambiguous. Source: notes/ledger.md, R6 and R7.
 */
export function isAmbiguous(classification: Classification, facts: Partial<ErrorFacts>): boolean {
  const { ledgerClaim } = attemptEnds[classification.class];
  if (ledgerClaim !== 'unknown' || provenUnsent(facts)) return false;
  const { status } = gatherEvidence({ error: facts });
  return status === null || !refusals.has(status);
}
