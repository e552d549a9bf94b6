import type { Context } from '@temporalio/activity';
import type { HeartbeatDetail, Sums } from '../contract/call-header.js';
import { isPlainObject } from '../contract/json.js';
import { type AttemptUse, noUsage, plusUsage, type Usage, withWaste } from './attempt-usage.js';

/** The one heartbeat slot of an activity, shared with the user's own heartbeats. */
export type HeartbeatSlot = AttemptUse & {
  /** What attempts before this one did. */
  readonly sums: Sums;
  /** Books what this attempt used; it travels with the next heartbeat. */
  readonly addUsage: (usage: Usage) => void;
  /** Notes what it will have used if its end is a timeout that nobody tells the figures of. */
  readonly expectUsage: (expected: () => Usage) => void;
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
  let usage = noUsage;
  let expected = (): Usage => noUsage;
  let timer: NodeJS.Timeout | undefined;
  const beat = (): void => {
    // What a lost attempt had used is wasted; its end will not be told by anyone else.
    const detail: HeartbeatDetail = {
      $holdfast: withWaste(current, usage),
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
    get usage() {
      return usage;
    },
    expected: () => expected(),
    addUsage: (used) => {
      usage = plusUsage(usage, used);
    },
    expectUsage: (next) => {
      expected = next;
    },
    report: (next) => {
      current = next;
      usage = noUsage;
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
