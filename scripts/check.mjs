import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { helpIfAsked, root, runNode, say } from './child.mjs';
import { install } from './install.mjs';

const help = `
npm run check

Formats and lints (Biome; with CI=true it only looks), checks import edges (dependency-cruiser,
the table in style.md section 1) and types (tsc). Runs all steps and names those that failed.
`;

helpIfAsked(process.argv.slice(2), help);
await install();

const writes = process.env.CI === 'true' ? [] : ['--write'];
const folders = ['src', 'examples'].filter((folder) => existsSync(join(root, folder)));
const cruise = (config) => [
  join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
  ...['--config', config, ...folders],
];
const steps = [
  {
    name: 'format and lint',
    args: [
      join(root, 'node_modules/@biomejs/biome/bin/biome'),
      'check',
      '--error-on-warnings',
      ...writes,
    ],
  },
  { name: 'import edges', args: cruise('.dependency-cruiser.mjs') },
  { name: 'import edges by value', args: cruise('.dependency-cruiser.values.mjs') },
  {
    name: 'types',
    args: [
      join(root, 'node_modules/typescript/bin/tsc'),
      '-p',
      root,
      '--noEmit',
      '--incremental',
      'false',
    ],
  },
];
const failed = [];
for (const { name, args } of steps) {
  say(`check: ${name}`);
  const { code } = await runNode(args, { input: 'none' });
  if (code !== 0) failed.push(name);
}
if (failed.length > 0) {
  say(`check failed: ${failed.join(', ')}`);
  process.exitCode = 1;
} else {
  say('check passed');
}
