import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  bundleWorkflowCode,
  DefaultLogger,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import type { HoldfastPlugin } from 'holdfast';
import { projectFile } from './root.js';

/** What a bundle is made of. */
export type Bundled = {
  /** Path of the workflows file below the compiled project. */
  readonly workflows: string;
  readonly policyModule: string | undefined;
  readonly plugin: HoldfastPlugin;
  /** Whether the plugin traces. @default false */
  readonly traced?: boolean;
};

const HOUR_MS = 3_600_000;

const kept = projectFile('node_modules', '.cache', 'holdfast-test-bundles');

/**
 * Bundles workflows, once for all test files: bundling takes seconds of a core, and many files run the same
 * workflows. A bundle is kept for as long as nothing has been compiled since.
 */
export async function keptBundle({
  workflows,
  policyModule = '',
  traced = false,
  plugin,
}: Bundled): Promise<WorkflowBundleWithSourceMap> {
  const build = digest(compiledFiles());
  const path = join(kept, build, `${digest([workflows, policyModule, String(traced)])}.json`);
  const found = await readFile(path, 'utf8').catch(() => undefined);
  if (found !== undefined) return JSON.parse(found) as WorkflowBundleWithSourceMap; // as it was written below
  const bundle = await bundleWorkflowCode({
    workflowsPath: projectFile('dist', workflows),
    plugins: [plugin],
    logger: new DefaultLogger('ERROR'),
  });
  await forgetOthers(build);
  await mkdir(join(kept, build), { recursive: true });
  const unfinished = `${path}.${randomUUID()}`; // other test files may be writing the same
  await writeFile(unfinished, JSON.stringify(bundle));
  await rename(unfinished, path);
  return bundle;
}

/** Returns what is compiled, and when it was. */
function compiledFiles(): string[] {
  const dist = projectFile('dist');
  return readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => `${name} ${statSync(join(dist, name)).mtimeMs}`)
    .sort();
}

/** Removes what earlier builds left; one that was in use within the hour may still be. */
async function forgetOthers(build: string): Promise<void> {
  const builds = await readdir(kept).catch(() => []);
  for (const other of builds.filter((name) => name !== build)) {
    const path = join(kept, other);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > HOUR_MS) await rm(path, { recursive: true, force: true });
  }
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
