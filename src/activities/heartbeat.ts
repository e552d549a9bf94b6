import type { Context } from '@temporalio/activity';
import type { HeartbeatDetail, Sums } from '../contract/call-header.js';
import { isPlainObject } from '../contract/json.js';

/** The one heartbeat slot of an activity, shared with the user's own heartbeats. */
export type HeartbeatSlot = {
  /** What attempts before this one did. */
  readonly sums: Sums;
  /** Tokens that this attempt used so far. */
  readonly tokens: number;
  /** Books tokens of this attempt; they travel with the next heartbeat. */
  readonly addTokens: (tokens: number) => void;
  /** Heartbeats sums that the next attempt has to know. */
  readonly report: (sums: Sums) => void;
  /** Heartbeats from now on, in attempts that last longer than a few seconds. */
  readonly startBeating: () => void;
  readonly stopBeating: () => void;
};

const BEAT_MS = 3_000;
const BEATS_PER_TIMEOUT = 3;

/**
 * Takes the heartbeat slot for sums and user's details alike: the activity still heartbeats and resumes
 * as always, and sees its own details only.
 */
export function shareHeartbeats(context: Context, before: Sums): HeartbeatSlot {
  const { info } = context;
  const earlier = readDetail(info.heartbeatDetails);
  const send = context.heartbeat;
  const sums = earlier?.$holdfast ?? before;
  let current = sums;
  let user = earlier === undefined ? info.heartbeatDetails : userDetails(earlier);
  let tokens = 0;
  let timer: NodeJS.Timeout | undefined;
  const beat = (): void => {
    // What a lost attempt had used is wasted; its end will not be told by anyone else.
    const detail: HeartbeatDetail = {
      $holdfast: { ...current, tokensWasted: current.tokensWasted + tokens },
      ...carriedDetails(user),
    };
    send(detail);
  };
  // Both are own, read-only properties of the SDK's context; every reader goes through them.
  Object.assign(context, {
    info: { ...info, heartbeatDetails: user },
    heartbeat: (details?: unknown): void => {
      user = details;
      beat();
    },
  });
  return {
    sums,
    get tokens() {
      return tokens;
    },
    addTokens: (used) => {
      // A usage that a model left out is no reason to fail an answer, nor to spoil the sum.
      if (Number.isFinite(used) && used > 0) tokens += used;
    },
    report: (next) => {
      current = next;
      tokens = 0;
      beat();
    },
    startBeating: () => {
      const { heartbeatTimeoutMs = Number.POSITIVE_INFINITY } = info;
      timer = setInterval(beat, Math.min(BEAT_MS, heartbeatTimeoutMs / BEATS_PER_TIMEOUT));
      timer.unref();
    },
    stopBeating: () => clearInterval(timer),
  };
}

/** Bytes have a payload of their own in Temporal; inside JSON they would come back as numbered fields. */
function carriedDetails(user: unknown): Pick<HeartbeatDetail, 'user' | 'bytes'> {
  if (!(user instanceof Uint8Array)) return { user };
  return { user: Buffer.from(user).toString('base64'), bytes: true };
}

function userDetails({ user, bytes }: HeartbeatDetail): unknown {
  return bytes === true ? Uint8Array.from(Buffer.from(String(user), 'base64')) : user;
}

function readDetail(details: unknown): HeartbeatDetail | undefined {
  if (!isPlainObject(details) || !isPlainObject(details.$holdfast)) return undefined;
  return details as unknown as HeartbeatDetail; // the mark is ours
}
