// Ends with 0 when a worker of this machine polls the task queue given as argument, else with 1.
// Reads TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE.
import { hostname } from 'node:os';
import { Connection } from '@temporalio/client';

const [taskQueue] = process.argv.slice(2);
const namespace = process.env.TEMPORAL_NAMESPACE ?? 'default';
const address = process.env.TEMPORAL_ADDRESS ?? '127.0.0.1:7233';
const activityQueue = 2; // TASK_QUEUE_TYPE_ACTIVITY

try {
  const connection = await Connection.connect({ address, connectTimeout: 5_000 });
  const { pollers } = await connection.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: activityQueue,
  });
  await connection.close();
  const ours = pollers.some(({ identity }) => identity?.endsWith(`@${hostname()}`));
  if (!ours) throw new Error(`no worker of ${hostname()} polls ${taskQueue} at ${address}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
