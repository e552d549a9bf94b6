import { type RawHistory, readRun } from '../../src/history/read-history.js';
import type { RunFacts } from '../../src/history/run-facts.js';

/** One scheduling of an activity, as a history tells of it. */
export type WrittenActivity = {
  /** @default 'look' */
  readonly type?: string;
  /** Number of the attempt that started last; 0 writes no start. @default 1 */
  readonly attempts?: number;
  /** @default 'completed' */
  readonly end?: keyof typeof ends | 'pending';
  /** The failure that ended it, or that the last attempt's start tells of. */
  readonly failure?: object;
  readonly failureBefore?: object;
  readonly retryState?: string;
  /** @default two attempts */
  readonly retryPolicy?: object | null;
  /** @default 5 s from start to close */
  readonly timeouts?: object;
  /** Length of the last attempt. @default 100 */
  readonly tookMs?: number;
  /** Of holdfast's header, besides what each has. */
  readonly call?: object;
  readonly result?: unknown;
};

/** A run and what it called, one after the other. */
export type WrittenRun = {
  /** @default 'task' */
  readonly workflowType?: string;
  readonly workflowId?: string;
  /** Attributes of the run's first event. */
  readonly started?: object;
  readonly activities?: readonly WrittenActivity[];
  /** Events after those of the activities, without their numbers. */
  readonly rest?: readonly object[];
  /** The event that ends it. @default its completion */
  readonly ended?: object | null;
};

const ends = {
  completed: 'activityTaskCompletedEventAttributes',
  failed: 'activityTaskFailedEventAttributes',
  'timed-out': 'activityTaskTimedOutEventAttributes',
  canceled: 'activityTaskCanceledEventAttributes',
} as const;

const beganAt = Date.parse('2026-11-30T12:00:00Z');

/** Returns a value as histories hold it. */
export function payload(value: unknown): object {
  return {
    metadata: { encoding: Buffer.from('json/plain').toString('base64') },
    data: Buffer.from(JSON.stringify(value)).toString('base64'),
  };
}

/** Returns the failure of an activity whose code threw. */
export function thrown(message: string, info: object = {}): object {
  return { message, applicationFailureInfo: { type: 'Error', ...info } };
}

/** Returns the history of a run. */
export function historyOf(run: WrittenRun): RawHistory {
  const { workflowType = 'task', workflowId = 'task-1', started = {}, activities = [] } = run;
  const { rest = [], ended = { workflowExecutionCompletedEventAttributes: {} } } = run;
  const events: object[] = [];
  let at = beganAt;
  const write = (event: object): string => {
    const eventId = `${events.length + 1}`;
    events.push({ eventId, eventTime: new Date(at).toISOString(), ...event });
    return eventId;
  };
  write({
    workflowExecutionStartedEventAttributes: {
      workflowType: { name: workflowType },
      workflowId,
      ...started,
    },
  });
  for (const activity of activities) {
    const { attempts = 1, end = 'completed', tookMs = 100, failure, retryState } = activity;
    const scheduledEventId = write(scheduledOf(activity));
    at += 10;
    if (attempts > 0) {
      const { failureBefore: lastFailure } = activity;
      const told = { scheduledEventId, attempt: attempts, ...(lastFailure && { lastFailure }) };
      write({ activityTaskStartedEventAttributes: told });
    }
    at += tookMs;
    if (end === 'pending') continue;
    const told = { scheduledEventId, retryState, failure, result: resultOf(activity) };
    write({ [ends[end]]: told });
  }
  for (const event of rest) write(event);
  if (ended !== null) write(ended);
  return { events };
}

/** Returns what is read of a run's history. */
export function runOf(run: WrittenRun): RunFacts {
  return readRun(historyOf(run));
}

const twice = { maximumAttempts: 2, initialInterval: '1s', backoffCoefficient: 2 };
const header = {
  v: 1,
  downstream: 'shop',
  effect: 'read',
  mode: 'on',
  share: 1,
  key: null,
} as const;

function scheduledOf({ type = 'look', retryPolicy = twice, timeouts, call }: WrittenActivity) {
  const fields = call && { 'holdfast-call': payload({ ...header, ...call }) };
  return {
    activityTaskScheduledEventAttributes: {
      activityId: type,
      activityType: { name: type },
      ...(timeouts ?? { startToCloseTimeout: '5s' }),
      ...(retryPolicy && { retryPolicy }),
      ...(fields && { header: { fields } }),
    },
  };
}

function resultOf({ result }: WrittenActivity): object | undefined {
  return result === undefined ? undefined : { payloads: [payload(result)] };
}
