import type { LimitKey } from './limiter.js';

/** Returns a key as one text that no other key has: the length tells where the downstream's name ends. */
export function keyText({ downstream, tenant }: LimitKey): string {
  const text = `${downstream.length}:${downstream}`;
  return tenant === undefined ? text : `${text}:${tenant}`;
}
