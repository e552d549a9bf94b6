import {
  type BundleOptions,
  bundleWorkflowCode,
  DefaultLogger,
  type LogEntry,
} from '@temporalio/worker';
import { type HoldfastOptions, holdfast } from 'holdfast';

/** What a workflow bundle is made of. */
export type BundledModules = {
  /** Files of the bundle, as paths from the project's folder. */
  readonly files: readonly string[];
  /** Packages of the bundle, each once. */
  readonly packages: readonly string[];
  readonly bytes: number;
};

/** Bundles a workflows file with the plugin and lists what entered; throws what webpack complains of. */
export async function bundledModules(
  workflowsPath: string,
  options: HoldfastOptions & Pick<BundleOptions, 'ignoreModules'> = {},
): Promise<BundledModules> {
  const { ignoreModules = [], ...plugged } = options;
  const said: string[] = [];
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    ignoreModules,
    plugins: [holdfast(plugged)],
    logger: new DefaultLogger('ERROR', ({ message }: LogEntry) => said.push(message)),
  }).catch((error: unknown) => {
    throw new Error(said.join('\n'), { cause: error });
  });
  // webpack heads each module with its path; what it leaves out has a hash for a name
  const ids = [...code.matchAll(/^\/\*{3}\/ "([^"]+)":?$/gm)].map((match) => match[1] ?? '');
  const inPackage = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//;
  const packages = ids.map((id) => inPackage.exec(id)?.[1]).filter((name) => name !== undefined);
  return {
    files: ids.filter((id) => !id.startsWith('?') && !id.includes('node_modules/')).sort(),
    packages: [...new Set(packages)].sort(),
    bytes: Buffer.byteLength(code),
  };
}
