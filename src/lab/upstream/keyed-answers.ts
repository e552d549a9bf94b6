import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Answer } from './answers.js';

/** What the store says about a request with a key. */
export type KeyClaim =
  | { readonly kind: 'fresh'; settle(answer: Answer): void; release(): void }
  | { readonly kind: 'replay'; readonly answer: Answer }
  | { readonly kind: 'in-progress' }
  | { readonly kind: 'other-body' };

type Entry = { readonly fingerprint: string; readonly answer: Answer | undefined };

/** Answers by route and idempotency key, for as long as the server runs. */
export type KeyedAnswers = {
  /** Claims a key for a body, or says why it can't be claimed. */
  claim(request: {
    readonly route: string;
    readonly key: string;
    readonly body: unknown;
  }): KeyClaim;
  /** Forgets every key; a request that runs meanwhile settles nothing. */
  clear(): void;
};

/**
 * Makes a store that behaves as the Idempotency-Key draft says: one run for each key, the stored
 * answer after it, a conflict while it runs, a refusal for another body. Bodies are compared in
 * canonical form, so that the order of fields means nothing.
 */
export function createKeyedAnswers(): KeyedAnswers {
  const entries = new Map<string, Entry>();

  function claim(request: { route: string; key: string; body: unknown }): KeyClaim {
    const slot = JSON.stringify([request.route, request.key]);
    const fingerprint = fingerprintOf(request.body);
    const known = entries.get(slot);
    if (known && known.fingerprint !== fingerprint) return { kind: 'other-body' };
    if (known?.answer) return { kind: 'replay', answer: known.answer };
    if (known) return { kind: 'in-progress' };
    const mine: Entry = { fingerprint, answer: undefined };
    entries.set(slot, mine);
    const holds = (): boolean => entries.get(slot) === mine;
    return {
      kind: 'fresh',
      settle(answer) {
        if (holds()) entries.set(slot, { fingerprint, answer });
      },
      release() {
        if (holds()) entries.delete(slot);
      },
    };
  }

  return { claim, clear: () => entries.clear() };
}

function fingerprintOf(body: unknown): string {
  return createHash('sha256')
    .update(canonicalize(body) ?? '')
    .digest('hex');
}
