import { callsOf } from '../../history/call-schedulings.js';
import type { ActivityEnd, ActivityFacts, ChildFacts, RunFacts } from '../../history/run-facts.js';
import { durationText } from '../../pages/duration-text.js';
import type { Timeline, Tone } from '../../pages/page.js';

type Row = Timeline['rows'][number];
type Bar = Row['bars'][number];

/** Rows that a timeline has at most: each of its bars is a stop of the Tab key. */
const mostRows = 200;

/**
 * Returns when a run's activities and children waited and ran. A history holds the start of the last attempt
 * alone: what came before it is one bar. What is still under way ends at the last time that the run tells.
 */
export function runTimeline(run: RunFacts): Timeline {
  const untilMs = run.endedAt ?? lastTimeOf(run);
  const rows = [
    // the gate may schedule a call again: all of it stands in one row
    ...callsOf(run.activities).map((schedulings) => activityRow(schedulings, untilMs)),
    ...run.children.map((child) => childRow(child, untilMs)),
  ];
  const rest = rows.length > mostRows ? `, the first ${mostRows} of ${rows.length}` : '';
  return {
    caption: `Activities and children over time${rest}`,
    legend: {
      good: 'last attempt, answered',
      bad: 'last attempt, failed',
      warning: 'earlier attempts and the waits after them',
      quiet: 'waits for a worker, is under way or was cancelled',
    },
    rows: rows.slice(0, mostRows),
  };
}

function activityRow(schedulings: readonly ActivityFacts[], untilMs: number): Row {
  const label = schedulings[0]?.summary ?? schedulings[0]?.type ?? '';
  return { label, bars: schedulings.flatMap((activity) => activityBars(activity, untilMs)) };
}

function activityBars(activity: ActivityFacts, untilMs: number): readonly Bar[] {
  const { type, scheduledAt, startedAt, attempts, lastFailure } = activity;
  const toMs = activity.endedAt ?? untilMs;
  const why = lastFailure === null ? '' : `: ${lastFailure.message}`;
  if (activity.isLocal) return [localBar(activity, toMs)];
  const lastFromMs = startedAt ?? toMs;
  const before: Bar =
    attempts > 1
      ? {
          fromMs: scheduledAt,
          toMs: lastFromMs,
          tone: 'warning',
          text: `${type}: ${attempts - 1} earlier ${attempts === 2 ? 'attempt' : 'attempts'} and the waits after them, ${durationText(lastFromMs - scheduledAt)}${why}`,
        }
      : {
          fromMs: scheduledAt,
          toMs: lastFromMs,
          tone: 'quiet',
          text: `${type}: waited ${durationText(lastFromMs - scheduledAt)} for a worker`,
        };
  if (startedAt === null) return [before];
  const { tone, words } = ends[activity.end];
  const failed = tone === 'bad' ? why : '';
  const last: Bar = {
    fromMs: startedAt,
    toMs,
    tone,
    text: `${type}: attempt ${attempts} ${words} after ${durationText(toMs - startedAt)}${failed}`,
  };
  return before.toMs > before.fromMs ? [before, last] : [last];
}

/** Of a local activity a history tells the end alone, or, over timers, the end of its first attempts as well. */
function localBar(
  { type, scheduledAt, attempts, end, lastFailure }: ActivityFacts,
  toMs: number,
): Bar {
  const { tone, words } = ends[end];
  const why = tone === 'bad' && lastFailure !== null ? `: ${lastFailure.message}` : '';
  return {
    fromMs: scheduledAt,
    toMs,
    tone,
    text: `${type}: local, ${words} at attempt ${attempts}${why}`,
  };
}

const ends: Readonly<Record<ActivityEnd, { readonly tone: Tone; readonly words: string }>> = {
  completed: { tone: 'good', words: 'answered' },
  failed: { tone: 'bad', words: 'failed' },
  'timed-out': { tone: 'bad', words: 'timed out' },
  canceled: { tone: 'quiet', words: 'was cancelled' },
  pending: { tone: 'quiet', words: 'is under way' },
  wait: { tone: 'warning', words: 'was told to wait' },
  interrupted: { tone: 'warning', words: 'was interrupted by its worker' },
  abandoned: { tone: 'quiet', words: 'was left behind by its run' },
};

function childRow(child: ChildFacts, untilMs: number): Row {
  const toMs = child.endedAt ?? untilMs;
  const words = child.status.replaceAll('-', ' ');
  const tone = child.status === 'completed' ? 'good' : badEnds.has(child.status) ? 'bad' : 'quiet';
  const text = `Child ${child.workflowId}: ${words} after ${durationText(toMs - child.startedAt)}`;
  return {
    label: `Child ${child.workflowType}`,
    bars: [{ fromMs: child.startedAt, toMs, tone, text }],
  };
}

const badEnds: ReadonlySet<ChildFacts['status']> = new Set([
  'failed',
  'terminated',
  'timed-out',
  'not-started',
]);

function lastTimeOf({ startedAt, activities, children }: RunFacts): number {
  const times = [...activities, ...children].flatMap((part) => [part.startedAt, part.endedAt]);
  const scheduled = activities.map((activity) => activity.scheduledAt);
  return [...times, ...scheduled].reduce<number>(
    (most, time) => Math.max(most, time ?? most),
    startedAt,
  );
}
