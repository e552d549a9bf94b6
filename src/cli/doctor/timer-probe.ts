import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { Check } from './check.js';

const WAIT_MS = 200;
const WAITS = 3;
/** Sending a task takes some 50 ms, and a busy machine some more. */
const ALLOWED_MS = 250;
const PATIENCE_MS = 20_000;
const SCHEDULE_ACTIVITY = 1;

const check = 'timers';

/** What holds where nobody may start anything to measure it. */
export const unprobed: Check = {
  check,
  state: 'unchecked',
  found:
    'a default server makes 0.1 to 1.2 s of any shorter wait (history.timerProcessorMaxTimeShift)',
  advice: '`--probe` starts a tiny workflow that measures it.',
};

/**
 * Measures how long the server really waits before a retry. It speaks for the workflow and the activity itself, so
 * that no worker is needed.
 */
export async function timerCheck(client: Client, namespace: string): Promise<Check> {
  const waitsMs = await measured(client, namespace);
  const each = waitsMs.map((ms) => `${Math.round(ms)} ms`).join(', ');
  const found = `a retry after ${WAIT_MS} ms came after ${each}`;
  if (Math.max(...waitsMs) <= WAIT_MS + ALLOWED_MS) return { check, state: 'ok', found };
  const advice =
    'Waits below a second are blurred, so backoff is longer than the policy says. Set ' +
    'history.timerProcessorMaxTimeShift to "10ms" in the server\'s dynamic configuration, or count from a baseMs of 1000.';
  return { check, state: 'warning', found, advice };
}

async function measured(client: Client, namespace: string): Promise<readonly number[]> {
  const { workflowService } = client;
  const name = `holdfast-doctor-${randomUUID()}`;
  const identity = 'holdfast doctor';
  const taskQueue = { name };
  const within = <T>(ask: () => Promise<T>): Promise<T> =>
    client.withDeadline(Date.now() + PATIENCE_MS, ask);
  await workflowService.startWorkflowExecution({
    namespace,
    workflowId: name,
    workflowType: { name: 'holdfast-doctor' },
    taskQueue,
    requestId: randomUUID(),
    identity,
    workflowExecutionTimeout: msToTs(120_000),
  });
  try {
    const task = await within(() =>
      workflowService.pollWorkflowTaskQueue({ namespace, taskQueue, identity }),
    );
    await workflowService.respondWorkflowTaskCompleted({
      namespace,
      identity,
      taskToken: task.taskToken,
      commands: [
        {
          commandType: SCHEDULE_ACTIVITY,
          scheduleActivityTaskCommandAttributes: {
            activityId: '1',
            activityType: { name: 'holdfast-doctor' },
            taskQueue,
            startToCloseTimeout: msToTs(60_000),
            retryPolicy: {
              initialInterval: msToTs(WAIT_MS),
              backoffCoefficient: 1,
              maximumAttempts: WAITS + 1,
            },
          },
        },
      ],
    });
    const waitsMs: number[] = [];
    let failedAt: number | undefined;
    while (waitsMs.length < WAITS) {
      const attempt = await within(() =>
        workflowService.pollActivityTaskQueue({ namespace, taskQueue, identity }),
      );
      if (failedAt !== undefined) waitsMs.push(performance.now() - failedAt);
      await workflowService.respondActivityTaskFailed({
        namespace,
        identity,
        taskToken: attempt.taskToken,
        failure: { message: 'measures the wait', applicationFailureInfo: { type: 'probe' } },
      });
      failedAt = performance.now();
    }
    return waitsMs;
  } finally {
    await workflowService
      .terminateWorkflowExecution({
        namespace,
        identity,
        workflowExecution: { workflowId: name },
        reason: 'it has measured what it was for',
      })
      .catch(() => {}); // it ends by its own timeout
  }
}
