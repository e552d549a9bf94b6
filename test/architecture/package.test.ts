import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { projectFile } from '../support/root.js';

type Target = string | { readonly types: string; readonly default: string };
type Manifest = {
  readonly type: string;
  readonly version: string;
  readonly license: string;
  readonly exports: Readonly<Record<string, Target>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
};

// this package's own manifest, whose fields the tests below check one by one
const manifest = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')) as Manifest;
const files = ['src', 'examples', 'test', 'scripts', 'deploy'].flatMap((folder) =>
  existsSync(projectFile(folder)) ? filesBelow(folder) : [],
);

const doorsOutside = [
  'holdfast',
  'holdfast/adoption',
  'holdfast/contract',
  'holdfast/ledger',
  'holdfast/limits',
  'holdfast/models',
  'holdfast/conversations',
  'holdfast/telemetry',
  'holdfast/testing',
];

describe('the package', () => {
  it('offers its doors and its manifest, and nothing else', () => {
    assert.deepEqual(Object.keys(manifest.exports), [
      '.',
      './workflow',
      './adoption',
      './contract',
      './ledger',
      './limits',
      './models',
      './conversations',
      './telemetry',
      './testing',
      './package.json',
    ]);
  });

  for (const [door, target] of Object.entries(manifest.exports)) {
    if (typeof target === 'string') continue;
    it(`has what its manifest promises at ${door}`, () => {
      assert.ok(existsSync(projectFile(target.types)), `${target.types} is missing`);
      assert.ok(existsSync(projectFile(target.default)), `${target.default} is missing`);
      assert.equal(target.types, target.default.replace(/\.js$/, '.d.ts'));
    });
  }

  it('loads by its name at every door outside the sandbox', async () => {
    for (const door of doorsOutside) {
      assert.ok(Object.keys(await import(door)).length > 0, `${door} exports nothing`);
    }
  });

  it('has no default export at a door', async () => {
    for (const door of doorsOutside) {
      assert.equal('default' in (await import(door)), false, door);
    }
  });

  it('is refused at paths inside it', async () => {
    await assert.rejects(import('holdfast/dist/src/budget/index.js' as string), {
      code: 'ERR_PACKAGE_PATH_NOT_EXPORTED',
    });
  });

  it('takes all Temporal packages at the same exact version', () => {
    const versions = Object.entries(manifest.dependencies)
      .filter(([name]) => name.startsWith('@temporalio/'))
      .map(([, version]) => version);
    assert.deepEqual([...new Set(versions)].length, 1);
    assert.match(versions[0] ?? '', /^\d+\.\d+\.\d+$/);
  });

  it('locks no download address', () => {
    const lock = readFileSync(projectFile('package-lock.json'), 'utf8');
    assert.equal(lock.includes('"resolved": "http'), false);
  });

  it('has a script file for each of its commands', () => {
    for (const [name, command] of Object.entries(manifest.scripts)) {
      const file = command.replace(/^node /, '');
      assert.ok(existsSync(projectFile(file)), `${name} runs ${file}, which is missing`);
    }
  });
});

describe('the tree', () => {
  const sources = files.filter((path) => /^(src|examples)\/.*\.ts$/.test(path));
  const places =
    /^src\/((index|adoption|workflow|testing|plugin|worker|client|start-options)\.ts|(contract|budget|workflows|activities|database|ledger|limits|conversations|telemetry|history|pages|cli|lab)\/)/;

  it('has no source outside the folders of the design', () => {
    const strays = sources.filter((path) => path.startsWith('src/') && !places.test(path));
    assert.deepEqual(strays, []);
  });

  it('keeps every index file to named re-exports', () => {
    for (const path of sources.filter((name) => name.endsWith('/index.ts'))) {
      const text = readFileSync(projectFile(path), 'utf8').replace(
        /\/\*[\s\S]*?\*\/|\/\/.*$/gm,
        '',
      );
      const rest = text.replace(/export (type )?\{[^}]*\} from '[^']+';/g, '').trim();
      assert.equal(rest, '', `${path} holds more than named re-exports`);
    }
  });

  it('has no test outside a folder of test', () => {
    const tests = files.filter((path) => path.endsWith('.test.ts'));
    assert.deepEqual(
      tests.filter((path) => !/^test\/[a-z-]+\/[a-z-]+\.test\.ts$/.test(path)),
      [],
    );
  });

  it('has files under 300 lines only', () => {
    const long = files
      .filter((path) => /\.(ts|mjs)$/.test(path))
      .filter((path) => readFileSync(projectFile(path), 'utf8').split('\n').length > 301);
    assert.deepEqual(long, []);
  });
});

/** Paths from the project's folder, with slashes. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(projectFile(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(projectFile(), join(entry.parentPath, entry.name)))
    .map((path) => path.replaceAll('\\', '/'));
}
