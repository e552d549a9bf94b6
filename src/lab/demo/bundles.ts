import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { holdfast } from '../../plugin.js';

/** Workflow bundles built once, so that a worker that replaces a killed one is there at once. */
export type Bundles = {
  readonly holdfast: string;
  readonly plain: string;
  /** The file of the ledger, made by the workers that share it. */
  readonly ledger: string;
  /** Removes the files. */
  readonly remove: () => Promise<void>;
};

/** Builds the bundles of both kinds of workers from their workflows files and returns the paths of their code. */
export async function buildBundles(
  workflows: Readonly<Record<'holdfast' | 'plain', string>>,
): Promise<Bundles> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-lab-'));
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
      write('holdfast.js', workflows.holdfast, [holdfast()]),
      write('plain.js', workflows.plain, []),
    ]);
    return { holdfast: governed, plain, ledger: join(folder, 'ledger.db'), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
