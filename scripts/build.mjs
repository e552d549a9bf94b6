import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fail, helpIfAsked, root, runNode, saying } from './child.mjs';

const dist = join(root, 'dist');
const stamp = join(dist, '.built');
const sourceFolders = ['src', 'test', 'examples'];
const compilerInputs = ['tsconfig.json', 'package.json', 'package-lock.json'];

/** Compiles src, test and examples into dist when a source has changed since the last time. */
export async function build() {
  const sources = sourceFolders.flatMap((folder) => filesBelow(join(root, folder)));
  const wanted = fingerprint([...sources, ...compilerInputs.map((name) => join(root, name))]);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  rmSync(stamp, { force: true });
  removeStaleOutputs(new Set(sources));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { code } = await saying('Building', () => runNode([compiler, '-p', root]));
  if (code !== 0) fail('the build failed: the compiler names the places above.', code);
  writeFileSync(stamp, wanted);
}

/** Removes what was compiled from sources that are gone, and the compiler's record when an output
 * is missing, since it would not write that one again. */
function removeStaleOutputs(sources) {
  const outputs = new Set(filesBelow(dist));
  for (const output of outputs) {
    const stem = relative(dist, output).match(/^(.*?)(\.d\.ts|\.js|\.js\.map)$/)?.[1];
    if (stem !== undefined && !sources.has(join(root, `${stem}.ts`))) rmSync(output);
  }
  const missing = [...sources].some(
    (source) =>
      source.endsWith('.ts') &&
      !source.endsWith('.d.ts') &&
      !outputs.has(join(dist, relative(root, source).replace(/\.ts$/, '.js'))),
  );
  if (missing) rmSync(join(dist, '.tsbuildinfo'), { force: true });
}

function fingerprint(files) {
  const hash = createHash('sha256');
  for (const file of files.sort()) {
    const { mtimeMs, size } = statSync(file);
    hash.update(`${relative(root, file)} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  helpIfAsked(
    process.argv.slice(2),
    'npm run build\n\nCompiles src, test and examples into dist when a source has changed.',
  );
  await build();
}
