import { MODEL_GENERATE } from '../../contract/model.js';
import type { ActivityFacts } from '../run-facts.js';

/** Returns what an audit calls an activity: its type, or the downstream where all models share one type. */
export function activityName({ type, call }: ActivityFacts): string {
  if (type === '') return 'unknown'; // of a history that is cut off
  return type === MODEL_GENERATE && call !== null ? call.downstream : type;
}
