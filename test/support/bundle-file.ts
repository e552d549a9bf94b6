import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A workflow bundle on disk, for worker processes. */
export type BundleFile = { readonly path: string; readonly remove: () => Promise<void> };

/** Writes a bundle's code into a temporary folder. */
export async function writeBundle({ code }: { readonly code: string }): Promise<BundleFile> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  const path = join(folder, 'bundle.js');
  await writeFile(path, code);
  return { path, remove: () => rm(folder, { recursive: true }) };
}
