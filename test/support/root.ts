import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Returns the project's folder, wherever the compiled test stands below it. */
export function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('no package.json above the compiled tests');
    folder = parent;
  }
  return folder;
}

/** Returns the path of a file below the project's folder. */
export function projectFile(...parts: string[]): string {
  return join(projectRoot(), ...parts);
}
