import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { plainActivities } from '../replay/fixture/plain-activities.js';
import type { RunningWorker } from './rig.js';
import { projectFile } from './root.js';

/** Starts a worker of the replay fixture as it would run without holdfast. */
export async function startUngoverned(place: {
  readonly address: string;
  readonly taskQueue: string;
}): Promise<RunningWorker> {
  const connection = await NativeConnection.connect({ address: place.address });
  const worker = await Worker.create({
    connection,
    identity: 'test',
    taskQueue: place.taskQueue,
    workflowBundle: await bundleWorkflowCode({
      workflowsPath: projectFile('dist', 'test', 'replay', 'fixture', 'plain-workflows.js'),
      logger: new DefaultLogger('ERROR'),
    }),
    activities: plainActivities(),
  });
  const ended = worker.run();
  return {
    stop: async () => {
      worker.shutdown();
      await ended;
      await connection.close();
    },
  };
}
