import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { fail, helpIfAsked } from './child.mjs';
import { install } from './install.mjs';

/** Brings a fresh clone to the point where dist can be run: packages installed, sources compiled. */
export async function setup() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    fail(`Node ${process.versions.node} is too old: install Node 20.19 or newer.`);
  }
  await install();
  await build();
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  helpIfAsked(
    process.argv.slice(2),
    'node scripts/setup.mjs\n\nInstalls the locked packages and compiles, where either is needed.',
  );
  await setup();
}
