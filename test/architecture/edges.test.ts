import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { cruise, type Violation } from '../support/cruise.js';

const module = 'export const value = 1;\nexport type Shape = { readonly a: number };\n';

/** One module in each place of the tree, each of them importing nothing. */
const tree: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'src/budget/plan.ts',
    'src/contract/tool.ts',
    'src/workflows/agent-task.ts',
    'src/workflow.ts',
    'src/ledger/port.ts',
    'src/limits/port.ts',
    'src/telemetry/metrics.ts',
    'src/telemetry/install.ts',
    'src/activities/implement.ts',
    'src/activities/models/call.ts',
    'src/history/read.ts',
    'src/plugin.ts',
    'src/index.ts',
    'src/lab/drill.ts',
    'src/cli/main.ts',
    'examples/chain/worker.ts',
    'test/support/thing.ts',
  ].map((path) => [path, module]),
);

type Planted = readonly [from: string, line: string, rule: string];

const value = (to: string): string => `import { value } from '${to}';\nexport const x = value;\n`;
const type = (to: string): string =>
  `import type { Shape } from '${to}';\nexport type X = Shape;\n`;
const npm = (name: string): string => `import * as all from '${name}';\nexport const x = all;\n`;

const forbidden: readonly Planted[] = [
  ['src/budget/a.ts', value('../contract/tool.js'), 'budget-imports-itself-only'],
  ['src/budget/b.ts', type('../contract/tool.js'), 'budget-imports-itself-only'],
  ['src/budget/c.ts', npm('zod'), 'budget-imports-itself-only'],
  ['src/budget/d.ts', npm('node:fs'), 'budget-imports-itself-only'],
  ['src/contract/a.ts', value('../activities/implement.js'), 'contract-is-pure'],
  ['src/contract/b.ts', npm('@temporalio/common'), 'contract-is-pure'],
  ['src/contract/c.ts', npm('node:crypto'), 'contract-is-pure'],
  ['src/workflows/a.ts', value('../ledger/port.js'), 'workflows-stay-in-the-sandbox'],
  ['src/workflows/b.ts', type('../ledger/port.js'), 'workflows-stay-in-the-sandbox'],
  [
    'src/workflows/c.ts',
    value('../activities/implement.js'),
    'workflows-take-only-types-from-activities',
  ],
  ['src/workflows/d.ts', npm('@temporalio/worker'), 'workflows-stay-in-the-sandbox'],
  ['src/workflows/e.ts', npm('node:fs'), 'workflows-stay-in-the-sandbox'],
  ['src/workflows/f.ts', value('../telemetry/install.js'), 'workflows-stay-in-the-sandbox'],
  ['src/ledger/a.ts', value('../limits/port.js'), 'ledger-stands-alone'],
  ['src/limits/a.ts', value('../telemetry/metrics.js'), 'limits-stands-alone'],
  ['src/telemetry/a.ts', value('../ledger/port.js'), 'telemetry-stands-alone'],
  ['src/ledger/b.ts', npm('@temporalio/common'), 'stores-know-no-temporal'],
  ['src/activities/a.ts', value('../workflows/agent-task.js'), 'activities-run-in-the-worker'],
  ['src/activities/b.ts', npm('@temporalio/workflow'), 'activities-know-no-workflow-code'],
  ['src/activities/c.ts', value('../history/read.js'), 'activities-run-in-the-worker'],
  ['src/activities/f.ts', npm('ai'), 'only-models-load-the-sdk-of-models'],
  ['src/activities/g.ts', npm('@ai-sdk/openai'), 'only-models-load-the-sdk-of-models'],
  ['src/limits/b.ts', npm('gpt-tokenizer'), 'only-models-load-the-sdk-of-models'],
  ['src/activities/h.ts', value('./models/call.js'), 'models-are-a-door-of-their-own'],
  ['src/history/a.ts', value('../activities/implement.js'), 'history-reads-only'],
  ['src/history/b.ts', npm('@temporalio/workflow'), 'history-reads-only'],
  ['src/worker.ts', value('./lab/drill.js'), 'wiring-is-above-the-folders-and-below-the-commands'],
  ['src/activities/d.ts', value('../plugin.js'), 'only-wiring-and-commands-import-wiring'],
  ['src/history/c.ts', value('../lab/drill.js'), 'only-cli-imports-lab'],
  ['src/lab/a.ts', value('../cli/main.js'), 'nobody-imports-cli'],
  ['src/lab/b.ts', value('../../examples/chain/worker.js'), 'src-imports-no-examples-or-tests'],
  ['src/lab/c.ts', value('../../test/support/thing.js'), 'src-imports-no-examples-or-tests'],
  ['src/lab/d.ts', value('./nowhere.js'), 'every-import-resolves'],
  ['src/lab/e.ts', npm('fast-check'), 'no-development-package-in-src'],
  [
    'examples/chain/a.ts',
    value('../../src/budget/plan.js'),
    'examples-import-the-package-by-its-name',
  ],
];

const allowed: Readonly<Record<string, string>> = {
  'src/activities/models/a.ts': npm('ai'),
  'src/budget/a.ts': value('./plan.js'),
  'src/contract/a.ts': value('../budget/plan.js') + npm('zod').replaceAll('x =', 'y ='),
  'src/contract/b.ts': npm('@noble/hashes/sha2.js'),
  'src/workflows/a.ts': type('../activities/implement.js'),
  'src/workflows/b.ts': npm('@temporalio/workflow'),
  'src/workflows/c.ts': value('../contract/tool.js'),
  'src/workflows/d.ts': value('../telemetry/metrics.js'),
  'src/ledger/a.ts': value('../contract/tool.js') + npm('node:fs').replaceAll('x =', 'y ='),
  'src/activities/a.ts': value('../ledger/port.js'),
  'src/activities/b.ts': npm('@temporalio/activity'),
  'src/history/a.ts': npm('@temporalio/proto'),
  'src/worker.ts': value('./workflows/agent-task.js'),
  'src/lab/a.ts': value('../plugin.js') + npm('@temporalio/testing').replaceAll('x =', 'y ='),
  'src/cli/a.ts': value('../lab/drill.js'),
  'examples/chain/a.ts': npm('holdfast/contract'),
};

describe('the rules of imports', () => {
  let found: readonly Violation[] = [];
  before(async () => {
    const planted = Object.fromEntries(forbidden.map(([from, line]) => [from, line]));
    found = await cruise({ config: '.dependency-cruiser.mjs', files: { ...tree, ...planted } });
  });

  for (const [from, line, rule] of forbidden) {
    it(`refuse ${from}: ${line.split('\n')[0]}`, () => {
      const broken = found.filter((violation) => violation.from === from).map((v) => v.rule);
      assert.ok(broken.includes(rule), `${rule} is not among: ${broken.join(', ')}`);
    });
  }

  it('accept every edge of the table', async () => {
    const files = { ...tree, ...allowed };
    assert.deepEqual(await cruise({ config: '.dependency-cruiser.mjs', files }), []);
  });
});

describe('the rules of what is loaded', () => {
  const config = '.dependency-cruiser.values.mjs';
  const schema = npm('zod');

  it('refuse a gate that reaches zod through another module', async () => {
    const files = {
      'src/contract/policy.ts': schema,
      'src/contract/index.ts': `export { x } from './policy.js';\n`,
      'src/workflows/gate.ts': `import { x } from '../contract/index.js';\nexport const y = x;\n`,
      'src/workflows/interceptors.ts': `export { y } from './gate.js';\n`,
    };
    const found = await cruise({ config, files });
    assert.deepEqual(found.map(({ rule, from }) => `${rule} ${from}`).sort(), [
      'gate-loads-no-zod src/workflows/gate.ts',
      'gate-loads-no-zod src/workflows/interceptors.ts',
    ]);
  });

  it('accept a gate that takes only types from modules with zod', async () => {
    const files = {
      'src/contract/policy.ts': `${schema}export type Policy = { readonly a: 1 };\n`,
      'src/workflows/gate.ts': `import type { Policy } from '../contract/policy.js';\nexport type Y = Policy;\n`,
      'src/workflows/agent-task.ts': `import { x } from '../contract/policy.js';\nexport const y = x;\n`,
    };
    assert.deepEqual(await cruise({ config, files }), []);
  });

  it('refuse a circle of values and accept one of types', async () => {
    const circle = (word: string): Record<string, string> => ({
      'src/budget/a.ts': `import ${word}{ B } from './b.js';\nexport class A { b?: B }\nexport const a = ${word === '' ? 'B' : '1'};\n`,
      'src/budget/b.ts': `import ${word}{ A } from './a.js';\nexport class B { a?: A }\nexport const b = ${word === '' ? 'A' : '1'};\n`,
    });
    const broken = await cruise({ config, files: circle('') });
    assert.deepEqual([...new Set(broken.map(({ rule }) => rule))], ['no-circular']);
    assert.deepEqual(await cruise({ config, files: circle('type ') }), []);
  });
});
