import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectFile } from './root.js';

/** Path to content. */
export type PlantedFiles = Readonly<Record<string, string>>;

/**
 * Makes a tree of planted files in a temporary folder, beside links to the project's packages and
 * the settings named, hands its path to `use`, and removes it again.
 */
export async function inPlantedTree<Result>(
  { files, settings }: { readonly files: PlantedFiles; readonly settings: readonly string[] },
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-planted-'));
  try {
    for (const name of ['node_modules', 'package.json', 'tsconfig.json', ...settings]) {
      await symlink(projectFile(name), join(folder, name));
    }
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
