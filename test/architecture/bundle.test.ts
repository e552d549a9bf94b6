import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { type BundledModules, bundledModules } from '../support/bundled-modules.js';
import { inPlantedTree } from '../support/planted.js';
import { projectFile } from '../support/root.js';

const fixture = (name: string): string => projectFile('dist/test/workflows/fixture', name);
// this package's own manifest
const { devDependencies } = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};

const sdk = ['@temporalio/common', '@temporalio/workflow', 'long', 'ms', 'nexus-rpc'];
const keys = ['@noble/hashes', 'canonicalize'];

/** Our own files of a bundle, the fixture aside. */
function ownFiles({ files }: BundledModules): readonly string[] {
  return files
    .filter((path) => path.includes('dist/src/'))
    .map((path) => path.replace(/^.*dist\/src\//, ''));
}

function foldersOf(bundle: BundledModules): readonly string[] {
  return [...new Set(ownFiles(bundle).map((path) => path.replace(/\/.*$/, '')))];
}

const size = ({ bytes }: BundledModules): string => `in a bundle of ${Math.round(bytes / 1024)} kB`;

describe('the workflow bundle of plain workflows under a policy module', () => {
  let bundle: BundledModules;
  before(async () => {
    bundle = await bundledModules(fixture('ordinary.js'), {
      policyModule: fixture('holdfast.js'),
    });
  });

  it('holds the gate, the core and the contract, and nothing else of ours', () => {
    const folders = ['adoption.js', 'budget', 'contract', 'telemetry', 'workflows'];
    assert.deepEqual(foldersOf(bundle), folders, size(bundle));
    assert.ok(ownFiles(bundle).includes('workflows/gate.js'));
  });

  it('holds no zod, and no module of ours that loads it', () => {
    assert.deepEqual(bundle.packages, [...sdk, ...keys].sort(), size(bundle));
    const loading = ownFiles(bundle).filter((path) =>
      /from 'zod'/.test(readFileSync(projectFile('dist/src', path), 'utf8')),
    );
    assert.deepEqual(loading, []);
  });
});

describe('the workflow bundle of an agent task with tools', () => {
  let bundle: BundledModules;
  before(async () => {
    bundle = await bundledModules(fixture('task-workflows.js'));
  });

  it('holds no activity, store, lab or command', () => {
    const folders = ['budget', 'contract', 'telemetry', 'workflow.js', 'workflows'];
    assert.deepEqual(
      foldersOf(bundle).filter((folder) => folder !== 'adoption.js'),
      folders,
      size(bundle),
    );
  });

  it('holds zod beside the SDK and the two packages that make keys', () => {
    assert.deepEqual(bundle.packages, [...sdk, ...keys, 'zod'].sort(), size(bundle));
  });

  it('holds no development package', () => {
    const found = bundle.packages.filter((name) => Object.hasOwn(devDependencies, name));
    assert.deepEqual(found, [], size(bundle));
  });
});

/** A workflows file with one more import, in a folder of its own. */
async function planted(line: string, ignoreModules: string[] = []): Promise<BundledModules> {
  const files = {
    'flows.mjs': `import { given } from './given.mjs';\nexport async function flow() { return given; }\n`,
    'given.mjs': `${line}\nexport const given = String(typeof taken);\n`,
  };
  return inPlantedTree({ files, settings: ['dist'] }, (folder) =>
    bundledModules(join(folder, 'flows.mjs'), { ignoreModules }),
  );
}

describe('a workflow that imports what is not for the sandbox', () => {
  for (const [name, line, named] of [
    [
      'activities',
      `import { implementTool as taken } from './dist/src/activities/implement-tool.js';`,
      /@temporalio\/activity/,
    ],
    ['a module of Node', `import { readFileSync as taken } from 'node:fs';`, /fs/],
  ] as const) {
    it(`fails to bundle with ${name}, and the error names the module`, async () => {
      await assert.rejects(planted(line), (error: unknown) => {
        assert.match(String(error), named);
        return true;
      });
    });
  }

  it('shows in the list of folders when its author silences that error', async () => {
    const line = `import { createHttp as taken } from './dist/src/activities/http.js';`;
    const bundle = await planted(line, ['@temporalio/activity', 'node:async_hooks', 'node:util']);
    assert.ok(foldersOf(bundle).includes('activities'), bundle.files.join('\n'));
  });
});
