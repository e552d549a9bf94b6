import { fileURLToPath } from 'node:url';
import { throwFaults } from '../../budget/errors.js';
import { rules } from '../../budget/rules.js';
import { isPlainObject } from '../../contract/json.js';
import type { WorkerConfig } from '../../plugin.js';
import { UsageError } from '../cli-errors.js';
import { exportOf, importModule } from '../import-module.js';
import { checkedFile } from '../json-input.js';

/** A worker's configuration with what a command needs of it. */
export type LoadedConfig = Omit<WorkerConfig, 'workflowsPath' | 'taskQueue'> & {
  readonly workflowsPath: string;
  readonly taskQueue: string;
};

/**
 * Loads what a module exports as `worker`: a configuration, or a function that makes one.
 * @throws UsageError where there is no such module or export, or no task queue is named
 * @throws InvalidFileError for a configuration with faults
 */
export async function loadWorkerConfig(
  path: string,
  taskQueue: string | undefined,
): Promise<LoadedConfig> {
  const exported = exportOf(await importModule(path), 'worker', path);
  const config: unknown = typeof exported === 'function' ? await exported() : exported;
  const checked = checkedFile(path, () => checkConfig(config));
  const queue = taskQueue ?? checked.taskQueue;
  if (queue === undefined) {
    throw new UsageError(
      `No task queue is named: give --task-queue <name>, or \`taskQueue\` in ${path}.`,
    );
  }
  const { workflowsPath } = checked;
  return {
    ...checked,
    taskQueue: queue,
    workflowsPath: pathOf(workflowsPath),
  };
}

function checkConfig(config: unknown): WorkerConfig {
  if (!isPlainObject(config)) {
    const rule = 'must be an object with workflowsPath, or a function that returns one';
    throwFaults([{ field: 'worker', rule, value: config }]);
  }
  const { workflowsPath, taskQueue } = config as Partial<WorkerConfig>; // an object, as checked above
  const isPath = rules.text.holds(workflowsPath) || workflowsPath instanceof URL;
  throwFaults([
    ...(isPath
      ? []
      : [
          {
            field: 'worker.workflowsPath',
            rule: 'must be the path or the URL of the module of workflows',
            value: workflowsPath,
          },
        ]),
    ...(taskQueue === undefined || rules.text.holds(taskQueue)
      ? []
      : [{ field: 'worker.taskQueue', rule: rules.text.text, value: taskQueue }]),
  ]);
  return config as WorkerConfig; // its other fields are checked where the worker is made
}

function pathOf(place: string | URL): string {
  return typeof place === 'string' && !place.startsWith('file:') ? place : fileURLToPath(place);
}
