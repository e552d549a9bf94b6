import type { LimitKey } from './limiter.js';

/** Returns a key as one text that no other key has. */
export function keyText({ downstream, tenant }: LimitKey): string {
  return JSON.stringify([downstream, tenant ?? null]);
}
