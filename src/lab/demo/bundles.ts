import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { holdfast } from '../../plugin.js';
import { agentWorkflows } from './agent.js';

/** Workflow bundles built once, so that a worker that replaces a killed one is there at once. */
export type Bundles = {
  readonly holdfast: string;
  readonly plain: string;
  /** The file of the ledger, made by the workers that share it. */
  readonly ledger: string;
  /** Removes the files. */
  readonly remove: () => Promise<void>;
};

const plainWorkflows = fileURLToPath(new URL('./plain-workflows.js', import.meta.url));

/** Builds the bundles of both kinds of workers and returns the paths of their code. */
export async function buildBundles(): Promise<Bundles> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-demo-'));
  const logger = new DefaultLogger('ERROR');
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const write = async (
    name: string,
    workflowsPath: string,
    plugins: [] | [ReturnType<typeof holdfast>],
  ): Promise<string> => {
    const { code } = await bundleWorkflowCode({ workflowsPath, plugins, logger });
    const path = join(folder, name);
    await writeFile(path, code);
    return path;
  };
  try {
    const [governed, plain] = await Promise.all([
      write('holdfast.js', agentWorkflows, [holdfast()]),
      write('plain.js', plainWorkflows, []),
    ]);
    return { holdfast: governed, plain, ledger: join(folder, 'ledger.db'), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
