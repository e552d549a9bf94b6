import type { CallHeader } from '../contract/call-header.js';
import type { Hands } from './attempt-hands.js';
import { taskTimeLeftMs } from './attempt-time.js';
import { AttemptDeadline } from './deadline.js';
import type { Passage } from './passage.js';
import { WaitError } from './wait-error.js';

const ADMIT_AGAIN_MS = 1_000;

/** Tells whether the downstream of a call has limits: without any there is nobody to ask. */
export function isLimited({ limits }: CallHeader): boolean {
  const { requestsPerMinute, tokensPerMinute, maxConcurrent } = limits;
  return (requestsPerMinute ?? tokensPerMinute ?? maxConcurrent) !== undefined;
}

/** Waits until there is room at the downstream, for as long as the attempt should hold its slot. */
export async function admitted(
  { run, deadline }: Hands,
  passage: Passage,
  input: unknown,
): Promise<void> {
  const { header, slot, implementation, context } = run;
  // A later attempt of the scheduling has had its place.
  const isFirst = slot.sums.failed.length === header.before.failed.length;
  const { cancellationSignal } = context;
  try {
    await passage.admit({
      expectedTokens: async (limit) => (await implementation?.estimateTokens?.(input, limit)) ?? 0,
      ticket: isFirst ? (header.ticket ?? undefined) : undefined,
      timeLeftMs: deadline.timeLeftMs(),
      taskTimeLeftMs: taskTimeLeftMs(run),
      signal: AbortSignal.any([deadline.signal, cancellationSignal]),
    });
  } catch (error) {
    if (error instanceof AttemptDeadline) throw new WaitError(ADMIT_AGAIN_MS, 'limiter');
    throw error;
  }
  if (header.mode === 'on') cancellationSignal.throwIfAborted();
}
