import {
  bundleWorkflowCode,
  DefaultLogger,
  Runtime,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import { type HoldfastPlugin, holdfast } from 'holdfast';
import { projectFile } from './root.js';

/** The module that governs the plain activity calls of the replay fixture. */
export const policyModule = projectFile('dist', 'test', 'replay', 'fixture', 'policy-module.js');

/** Returns the plugin for replay; the runtime says nothing but errors from then on. */
export function replayPlugin(): HoldfastPlugin {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  return holdfast({ policyModule });
}

/** Bundles a workflows file of the replay fixture. */
export function bundleFixture(
  file: 'workflows.js' | 'changed-workflows.js',
  plugin: HoldfastPlugin,
): Promise<WorkflowBundleWithSourceMap> {
  return bundleWorkflowCode({
    workflowsPath: projectFile('dist', 'test', 'replay', 'fixture', file),
    plugins: [plugin],
    logger: new DefaultLogger('ERROR'),
  });
}
