import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { ensureDebianPackage } from './apt.mjs';
import { fail, helpIfAsked, root, run } from './child.mjs';
import { setup } from './setup.mjs';

const help = `
npm test [-- [filter ...] [options of node --test]]

Sets up, fetches the Temporal servers, and runs the tests whose path contains one of the filters
(all without a filter): npm test -- budget ledger/claims --test-name-pattern=probe

Stacks name places in the sources where a filter is given, and in dist for the whole suite, to which
reading the maps would cost time in every process.

TEMPORAL_CLI_PATH, TEMPORAL_TEST_SERVER_PATH and CHROMIUM_PATH name programs to use as they are.
`;

// counts for a whole file: a hanging one is ended and named; the longest run the demo (under 90 s)
const timeoutMs = 600_000;

// one more than cores: a test of lost workers waits for leases and timeouts most of its time
const atOnce = Math.min(4, availableParallelism() + 1);

const args = process.argv.slice(2);
helpIfAsked(args, help);
const options = args.filter((arg) => arg.startsWith('-'));
const filters = args.filter((arg) => !arg.startsWith('-'));

await setup();
const files = testFiles(filters);
if (files.length === 0) fail(`no test file's path contains ${filters.join(' or ')}.`);
if (needed('chromium')) {
  const programs = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  if (!process.env.CHROMIUM_PATH) await ensureDebianPackage({ name: 'chromium', programs });
}
if (needed('docker-compose')) {
  await ensureDebianPackage({ name: 'docker-compose', programs: ['docker-compose'] });
}
if (needed('promtool')) {
  await ensureDebianPackage({ name: 'prometheus', programs: ['promtool'], service: 'prometheus' });
}
if (needed('postgres')) {
  await ensureDebianPackage({
    name: 'postgresql',
    programs: ['initdb'],
    service: 'postgresql',
    folders: postgresFolders('/usr/lib/postgresql'),
  });
}
const env = await serverPaths();
const { code } = await run(
  process.execPath,
  [
    ...(filters.length > 0 ? ['--enable-source-maps'] : []),
    '--test',
    '--test-reporter=spec',
    `--test-concurrency=${atOnce}`,
    `--test-timeout=${timeoutMs}`,
    ...options,
    ...files,
  ],
  { env, input: 'none' },
);
process.exitCode = code;

function testFiles(wanted) {
  return readdirSync(join(root, 'dist/test'), { recursive: true })
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => relative(root, join(root, 'dist/test', name)))
    .filter((path) => wanted.length === 0 || wanted.some((part) => path.slice(10).includes(part)))
    .sort();
}

function needed(word) {
  return files.some((file) => readFileSync(join(root, file), 'utf8').includes(word));
}

/** Debian keeps each version's programs in a folder of its own, off the PATH. */
function postgresFolders(parent) {
  return existsSync(parent) ? readdirSync(parent).map((name) => join(parent, name, 'bin')) : [];
}

/** The servers' programs as variables, so that no test file has to look for them again. */
async function serverPaths() {
  const fetched = await run(process.execPath, [join(root, 'dist/src/lab/fetch-servers.js')], {
    output: 'kept',
    input: 'none',
  });
  if (fetched.code !== 0) fail('the tests need the programs named above.', fetched.code);
  return Object.fromEntries(
    fetched.text
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}
