import type { WorkflowHandle } from '@temporalio/client';
import type { LoopResult, ModelMessage } from 'holdfast/contract';
import { createScripts, type Scripts } from '../loops/fixture/scripts.js';
import { type Rig, type RigOptions, startRig } from './rig.js';
import { openTestConversations, type TestConversations } from './test-conversations.js';

/** A rig whose model follows scripts. */
export type LoopRig = Rig &
  Scripts & {
    readonly store: TestConversations;
    /** Starts a loop; the prompt's first word names the script. */
    readonly start: (workflow: string, prompt: string, task?: object) => Promise<WorkflowHandle>;
    /** Starts a loop and returns its result. */
    readonly result: (workflow: string, prompt: string, task?: object) => Promise<Ended>;
  };

/** How a loop ended, and under which id it ran. */
export type Ended = LoopResult & { readonly workflowId: string };

/** Starts a server and a worker with the tools of the loop fixture. */
export async function startLoopRig(
  options: Partial<RigOptions> & { readonly dynamicConfig?: Readonly<Record<string, string>> } = {},
): Promise<LoopRig> {
  const store = await openTestConversations();
  const scripts = createScripts();
  const rig = await startRig({
    workflows: 'test/loops/fixture/workflows.js',
    implementations: scripts.implementations,
    conversations: store.conversations,
    ...options,
    dynamicConfig: { 'history.transferProcessorMaxPollRPS': '2000', ...options.dynamicConfig },
  });
  const start = (workflow: string, prompt: string, task: object = {}): Promise<WorkflowHandle> =>
    rig.client.workflow.start(workflow, {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('loop'),
      args: [{ prompt, ...task }],
    });
  return {
    ...rig,
    ...scripts,
    store,
    start,
    result: async (workflow, prompt, task) => {
      const handle = await start(workflow, prompt, task);
      return { ...(await handle.result()), workflowId: handle.workflowId };
    },
    stop: async () => {
      await rig.stop();
      await store.remove();
    },
  };
}

/** Returns the results of tools that a model was shown. */
export function shown(messages: readonly ModelMessage[]): readonly unknown[] {
  return messages.flatMap((message) => (message.role === 'tool' ? [message.output] : []));
}
