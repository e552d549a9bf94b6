/**
 * What a call does to the world: `read` changes nothing, `idempotent-write` changes something at a
 * downstream that honours idempotency keys, `write` changes something at one that doesn't.
 */
export type Effect = 'read' | 'idempotent-write' | 'write';

/** Every effect, for checks. */
export const effects: readonly Effect[] = ['read', 'idempotent-write', 'write'];
