import { heartbeat } from '@temporalio/activity';
import type { ToolImplementation } from '../../activities/implement-tool.js';

const beatMs = 1_000;

/**
 * Makes an activity beat without holdfast, whose interceptor does so by itself: a lost worker is noticed as
 * soon, and an attempt that has timed out is told to stop.
 */
export function heartbeating(activity: ToolImplementation['activity']): typeof activity {
  return async (input) => {
    const timer = setInterval(() => heartbeat(), beatMs);
    try {
      return await activity(input);
    } finally {
      clearInterval(timer);
    }
  };
}
