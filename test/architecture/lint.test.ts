import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { before, describe, it } from 'node:test';
import { inPlantedTree, type PlantedFiles } from '../support/planted.js';
import { projectFile } from '../support/root.js';

type Planted = readonly [claim: string, path: string, content: string, rule: string];

const clock = 'Pure code reads no clock';
const global = 'lint/style/noRestrictedGlobals';
const node = 'lint/correctness/noNodejsModules';

const refused: readonly Planted[] = [
  ['chance in budget', 'src/budget/a.ts', 'export const x = Math.random();\n', 'Take `random`'],
  ['chance under another name', 'src/budget/b.ts', 'export const x = Math.random;\n', 'Take `rand'],
  ['the clock in budget', 'src/budget/c.ts', 'export const x = Date.now();\n', clock],
  ['a date of this moment', 'src/budget/d.ts', 'export const x = new Date();\n', clock],
  ['the clock under another name', 'src/budget/e.ts', 'export const x = Date;\n', clock],
  ['a precise clock', 'src/budget/f.ts', 'export const x = performance.now();\n', global],
  ['a timer in budget', 'src/budget/g.ts', 'setTimeout(() => {}, 1);\nexport {};\n', global],
  ['the environment in budget', 'src/budget/h.ts', 'export const x = process.env;\n', global],
  ['the network in budget', 'src/budget/i.ts', "export const x = fetch('x:');\n", global],
  [
    'globals by way of the global object',
    'src/budget/j.ts',
    'export const x = globalThis;\n',
    global,
  ],
  ['Node in budget', 'src/budget/k.ts', "export { join } from 'node:path';\n", node],
  ['Node in contract', 'src/contract/a.ts', "export { join } from 'node:path';\n", node],
  ['Node in workflows', 'src/workflows/a.ts', "export { join } from 'node:path';\n", node],
  ['Node in workflow.ts', 'src/workflow.ts', "export { join } from 'node:path';\n", node],
  ['a default export', 'src/lab/a.ts', 'export default 1;\n', 'lint/style/noDefaultExport'],
  ['the console in a library', 'src/activities/a.ts', 'console.log(1);\nexport {};\n', 'noConsole'],
  ['a star re-export', 'src/index.ts', "export * from './lab/b.js';\n", 'noReExportAll'],
  [
    'a name in camel case',
    'src/lab/twoWords.ts',
    'export const x = 1;\n',
    'useFilenamingConvention',
  ],
  ['301 lines', 'src/lab/c.ts', `${'export {};\n'.repeat(301)}`, 'noExcessiveLinesPerFile'],
  [
    'a promise left alone',
    'src/lab/d.ts',
    'export function f(): void {\n  g();\n}\nasync function g(): Promise<void> {}\n',
    'noFloatingPromises',
  ],
];

const accepted: PlantedFiles = {
  'src/lab/b.ts': 'export const x = 1;\n',
  'src/budget/dates.ts': `export const parsed = Date.parse('2026-01-01T00:00:00Z');
export const made = new Date(parsed).toISOString();
export const utc = Date.UTC(2026, 1);
`,
  'src/activities/clock.ts': "export { join } from 'node:path';\nexport const now = Date.now();\n",
};

describe('the lint', () => {
  let report = '';
  before(async () => {
    const planted = Object.fromEntries(refused.map(([, path, content]) => [path, content]));
    report = await lint({ ...accepted, ...planted });
  });

  for (const [claim, path, , rule] of refused) {
    it(`refuses ${claim}`, () => {
      const found = complaints(report, path);
      assert.ok(found.includes(rule), `no ${rule} for ${path} in:\n${found || report}`);
    });
  }

  it('accepts dates made of arguments, and the clock outside budget', () => {
    for (const path of Object.keys(accepted)) assert.equal(complaints(report, path), '');
  });
});

/** Biome's complaints about one file, each of them with its heading. */
function complaints(report: string, path: string): string {
  return report
    .split(/^(?=\S+\.ts[: ])/m)
    .filter((part) => part.startsWith(`${path}:`) || part.startsWith(`${path} `))
    .join('');
}

function lint(files: PlantedFiles): Promise<string> {
  const program = projectFile('node_modules/@biomejs/biome/bin/biome');
  const args = [program, 'lint', '--max-diagnostics=none', '--colors=off', 'src'];
  return inPlantedTree(
    { files, settings: ['biome.json', 'norandom.grit'] },
    (folder) =>
      new Promise((resolve) => {
        // it ends with 1 when it complains, which it is asked to do
        execFile(process.execPath, args, { cwd: folder }, (_error, stdout, stderr) =>
          resolve(stdout + stderr),
        );
      }),
  );
}
