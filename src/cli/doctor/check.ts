/** What the doctor looked at, and what it found. */
export type Check = {
  readonly check: string;
  /** `fault`: something won't work; `warning`: it works worse than it could; `unchecked`: nobody looked. */
  readonly state: 'ok' | 'warning' | 'fault' | 'unchecked';
  readonly found: string;
  /** What to do about it. */
  readonly advice?: string;
};

/** What to do where the server lets a user look at nothing. */
export const moreRights = 'Ask with more rights in the namespace.';

/** Returns what an error says at its root, on one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  // gRPC puts its own words before the server's.
  const details: unknown = 'details' in error ? error.details : undefined;
  return typeof details === 'string' && details !== '' ? details : error.message;
}

/** Returns the code of gRPC that an error of the server carries. */
export function grpcCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'number') return error.code;
  return error.cause === undefined ? undefined : grpcCode(error.cause);
}

/** Returns days, or hours below two days. */
export function durationText(ms: number): string {
  const hours = ms / 3_600_000;
  return hours < 48 ? `${Math.round(hours * 10) / 10} h` : `${Math.round(hours / 2.4) / 10} days`;
}
