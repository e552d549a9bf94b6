import { ActivityFailure, ApplicationFailure, proxyActivities } from '@temporalio/workflow';
import type { BuiltInActivities } from '../activities/built-in.js';

/** Returns holdfast's own activities: they are quick, and tried for about a minute. */
export function builtIn(): BuiltInActivities {
  return proxyActivities<BuiltInActivities>({
    startToCloseTimeout: 10_000,
    scheduleToCloseTimeout: 60_000,
    retry: { initialInterval: 500, maximumInterval: 5_000 },
  });
}

/** Returns what ends the run where one of them fails: its own word, which names the fault. */
export function ownWord(error: unknown): unknown {
  const isOwn = error instanceof ActivityFailure && error.cause instanceof ApplicationFailure;
  return isOwn ? error.cause : error;
}
