import type { ErrorClass } from '../budget/classify-types.js';
import { HoldfastError } from '../budget/errors.js';
import type { FailureDetail, Sums } from '../contract/call-header.js';

/** What the gate is told of an attempt that was refused. */
export type Refusal = {
  readonly kind: 'breaker-open' | 'limit-exceeded';
  readonly message: string;
  /** Null where the refusal says nothing about the request. */
  readonly class: ErrorClass | null;
  /** Whether a fallback may answer in its place. */
  readonly fallback: boolean;
  /** Milliseconds after which another call may fare better; null where waiting doesn't help. */
  readonly retryAfterMs: number | null;
};

/** An attempt that this worker refuses before anything is sent: it is none, and costs nothing. */
export class RefusedAttemptError extends HoldfastError {
  readonly kind: Refusal['kind'];
  override readonly name: string;

  constructor(readonly refusal: Refusal) {
    super(refusal.message);
    this.kind = refusal.kind;
    this.name = refusal.kind;
  }
}

/** The worker's own breaker for the downstream is open. */
export function breakerOpen(
  downstream: string,
  open: { readonly waitMs: number; readonly rejectionsLeft: number },
): RefusedAttemptError {
  const waitMs = Math.ceil(open.waitMs);
  return new RefusedAttemptError({
    kind: 'breaker-open',
    message: `This worker's breaker for ${downstream} is open: it rejects at least ${open.rejectionsLeft} more calls, and all of the next ${waitMs} ms.`,
    class: null,
    fallback: true,
    retryAfterMs: waitMs,
  });
}

/** The request is larger than what the downstream's limits ever admit: the caller's fault, which no fallback hides. */
export function limitExceeded(message: string): RefusedAttemptError {
  const kind = 'limit-exceeded';
  const known = { class: 'invalid-request', fallback: false, retryAfterMs: null } as const;
  return new RefusedAttemptError({ kind, message, ...known });
}

/** Returns what the gate is told of a refused attempt. */
export function refusalDetail({ refusal }: RefusedAttemptError, sums: Sums): FailureDetail {
  const { kind, class: errorClass, fallback, retryAfterMs } = refusal;
  return {
    $holdfast: 1,
    sums,
    class: errorClass,
    fallback,
    retryable: false,
    retryAfterMs,
    stop: kind,
  };
}
