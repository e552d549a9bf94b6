import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fail, root, runNode } from './child.mjs';
import { setup } from './setup.mjs';

/** Sets up, then runs a compiled module with the arguments of this script and ends with its code. */
export async function runDriver(module) {
  await setup();
  const path = join(root, module);
  if (!existsSync(path)) fail(`${module} is missing: its source is not part of this checkout.`);
  const { code } = await runNode([path, ...process.argv.slice(2)]);
  process.exitCode = code;
}
