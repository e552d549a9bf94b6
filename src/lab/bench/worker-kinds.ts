import { fileURLToPath } from 'node:url';
import type { WorkerOptions } from '@temporalio/worker';
import { implementTool } from '../../activities/implement-tool.js';
import { type HoldfastPlugin, holdfast } from '../../plugin.js';
import * as activities from './activities.js';
import { decideTool, lookUpTool, replyTool } from './tools.js';

/** How the three activities are run: by Temporal alone, governed as they are, or as tools. */
export const workerKinds = ['plain', 'adopted', 'library'] as const;

/** One of the ways. */
export type WorkerKind = (typeof workerKinds)[number];

/** What tells the worker of a kind from another. */
export type KindOptions = {
  readonly workflowsPath: string;
  readonly activities: NonNullable<WorkerOptions['activities']>;
  readonly plugins: HoldfastPlugin[];
};

/** Tells a kind's name from other words. */
export function isWorkerKind(word: string | undefined): word is WorkerKind {
  return workerKinds.some((kind) => kind === word);
}

/** Returns what the worker of a kind is made of. */
export function kindOptions(kind: WorkerKind): KindOptions {
  const plain = sandboxFile('plain-workflows.js');
  switch (kind) {
    case 'plain':
      return { workflowsPath: plain, activities, plugins: [] };
    case 'adopted': {
      const plugin = holdfast({ policyModule: sandboxFile('policy.js') });
      return { workflowsPath: plain, activities, plugins: [plugin] };
    }
    case 'library': {
      const implementations = [
        implementTool(lookUpTool, activities.lookUp),
        implementTool(decideTool, activities.decide),
        implementTool(replyTool, activities.reply),
      ];
      return {
        workflowsPath: sandboxFile('tool-workflows.js'),
        activities: {},
        plugins: [holdfast({ implementations })],
      };
    }
  }
}

function sandboxFile(name: string): string {
  return fileURLToPath(new URL(`./sandbox/${name}`, import.meta.url));
}
