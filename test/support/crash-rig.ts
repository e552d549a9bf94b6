import type { WorkerOptions } from '@temporalio/worker';
import { createUpstream, type Upstream } from '../../src/lab/upstream/index.js';
import { createScripts, type Scripts } from '../loops/fixture/scripts.js';
import { plainActivities } from '../replay/fixture/plain-activities.js';
import { degradingImplementations } from '../workflows/fixture/degrading-implementations.js';
import { withModels } from '../workflows/fixture/model-implementations.js';
import { peopleImplementations } from '../workflows/fixture/people-implementations.js';
import { type ChildWorkers, childWorkers } from './child-worker.js';
import { policyModule } from './replay-bundle.js';
import { type Rig, type RunningWorker, startRig } from './rig.js';
import { stallingImplementations } from './stalling-implementations.js';
import { openTestConversations } from './test-conversations.js';

/** A real server, an upstream and a client; workers come and go as a test wants it. */
export type CrashRig = Omit<Rig, 'worker' | 'startWorker'> & {
  readonly upstream: Upstream;
  readonly upstreamUrl: string;
  readonly children: ChildWorkers;
  /** Says what the model of the loop fixture answers. */
  readonly say: Scripts['say'];
  /** Starts a worker in this process, on which nothing stalls: the one that finishes. */
  readonly startRescuer: (options?: Partial<WorkerOptions>) => Promise<RunningWorker>;
};

/** Starts everything but a worker. */
export async function startCrashRig(): Promise<CrashRig> {
  const upstream = createUpstream();
  const { url: upstreamUrl } = await upstream.start();
  const scripts = createScripts();
  const store = await openTestConversations();
  const { worker, startWorker, ...rig } = await startRig({
    conversations: store.conversations,
    workflows: 'test/replay/fixture/workflows.js',
    hasAttributes: true,
    policyModule,
    policies: { load: async (name) => ({ version: `of ${name}`, globalRetryBudget: 2 }) },
    implementations: [
      ...stallingImplementations({ stallAt: [], onAttempt: () => {}, upstreamUrl }),
      ...peopleImplementations({ paid: [], told: [] }),
      ...degradingImplementations(),
      ...withModels(scripts.implementations),
    ],
    worker: {
      identity: 'test',
      activities: plainActivities(),
      stickyQueueScheduleToStartTimeout: 500,
    },
  });
  await worker.stop();
  const { address, taskQueue, bundle, ledgerPath } = rig;
  const children = await childWorkers({ address, taskQueue, bundle, ledgerPath });
  return {
    ...rig,
    upstream,
    upstreamUrl,
    children,
    say: scripts.say,
    startRescuer: startWorker,
    stop: async () => {
      await children.stop();
      await rig.stop();
      await upstream.stop();
      await store.remove();
    },
  };
}
