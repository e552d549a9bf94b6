import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Makes the ids of spans and traces, as OpenTelemetry wants them. */
export type TraceIds = {
  readonly generateTraceId: () => string;
  readonly generateSpanId: () => string;
};

/**
 * Makes the ids of one run: the same in each replay, and without a draw of the workflow's chance, which would change
 * what the user's own code gets.
 */
export function traceIds(runId: string): TraceIds {
  let made = 0;
  const id = (digits: number): string => {
    made += 1;
    return bytesToHex(sha256(utf8ToBytes(`${runId}/${made}`))).slice(0, digits);
  };
  return { generateTraceId: () => id(32), generateSpanId: () => id(16) };
}
