/** The parent of a write's deadline: what may cut it off in mid-flight. */
export type WriteSignal = {
  readonly signal: AbortSignal;
  /** Cuts the attempt off: another one has taken over its claim. */
  readonly abort: (reason: Error) => void;
  /** Releases the listener. */
  readonly stop: () => void;
};

/** Tells whether an activity was cut off because its worker shuts down. */
export function isShutdown(reason: unknown): boolean {
  return reason instanceof Error && reason.message === 'WORKER_SHUTDOWN';
}

/**
 * Returns a signal that a cancellation doesn't abort, only a worker's shutdown does: a write in flight is let
 * finish, since breaking it off leaves nobody who knows whether it happened.
 */
export function writeSignal(cancellation: AbortSignal): WriteSignal {
  const controller = new AbortController();
  const onAbort = (): void => {
    if (isShutdown(cancellation.reason)) controller.abort(cancellation.reason);
  };
  if (cancellation.aborted) onAbort();
  else cancellation.addEventListener('abort', onAbort);
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    stop: () => cancellation.removeEventListener('abort', onAbort),
  };
}
