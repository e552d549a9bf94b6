/**
 * The table of style.md section 1, a rule for each row. Imports of types count like imports of
 * values, except that workflows may import types from activities. A new edge is a design decision:
 * the table and the rule change in one commit.
 */
const budget = '^src/budget/';
const contract = '^src/contract/';
const workflows = '^src/workflows/|^src/(workflow|adoption)[.]ts$';
const database = '^src/database/';
const stores = '^src/(ledger|limits|conversations|telemetry)/';
/** What is measured and how it is written down: pure, and the same in the sandbox as in the worker. */
const metrics = '^src/telemetry/(metrics|recorder)[.]ts$';
const activities = '^src/activities/';
const history = '^src/history/';
const wiring = '^src/(plugin|worker|client|start-options|testing|index)[.]ts$';
const pages = '^src/pages/';
const lab = '^src/lab/';
const cli = '^src/cli/';

const packages = (...names) => names.map((name) => `node_modules/${name}/`);
const outside = ['node_modules/', '^[^/]+(/promises)?$']; // npm packages, and Node's modules by their bare name
const only = (name, from, allowed, extra = {}) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { pathNot: [from, ...allowed], ...extra },
});

export default {
  forbidden: [
    only('budget-imports-itself-only', budget, []),
    only('contract-is-pure', contract, [
      budget,
      ...packages('zod', 'canonicalize', '@noble/hashes'),
    ]),
    only('workflows-stay-in-the-sandbox', workflows, [
      budget,
      contract,
      metrics,
      activities,
      ...packages('@temporalio/workflow', '@temporalio/common', 'zod'),
    ]),
    {
      name: 'workflows-take-only-types-from-activities',
      severity: 'error',
      from: { path: workflows },
      to: { path: activities, dependencyTypesNot: ['type-only'] },
    },
    only('database-knows-no-store', database, [budget, ...outside]),
    ...['ledger', 'limits', 'conversations', 'telemetry'].map((folder) =>
      only(`${folder}-stands-alone`, `^src/${folder}/`, [budget, contract, database, ...outside]),
    ),
    {
      name: 'stores-know-no-temporal',
      severity: 'error',
      from: { path: '^src/(database|ledger|limits|conversations)/' },
      to: { path: 'node_modules/@temporalio/' },
    },
    only('activities-run-in-the-worker', activities, [budget, contract, stores, ...outside]),
    {
      name: 'activities-know-no-workflow-code',
      severity: 'error',
      from: { path: activities },
      to: { path: packages('@temporalio/workflow') },
    },
    {
      name: 'only-models-load-the-sdk-of-models',
      comment:
        'it and the tokenizer take a second to load, which a worker without models has no use for',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/activities/models/', lab] },
      to: { path: packages('ai', '@ai-sdk/[^/]+', 'gpt-tokenizer') },
    },
    {
      name: 'models-are-a-door-of-their-own',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/activities/models/', lab, cli] },
      to: { path: '^src/activities/models/' },
    },
    only('history-reads-only', history, [
      budget,
      contract,
      ...packages(
        '@temporalio/proto',
        '@temporalio/common',
        '@temporalio/client',
        'protobufjs',
        'long',
      ),
    ]),
    only('pages-know-only-what-they-show', pages, outside),
    {
      name: 'only-commands-make-pages',
      comment: 'the plots take a second to load and have no place in a worker',
      severity: 'error',
      from: { path: '^src/', pathNot: [pages, lab, cli] },
      to: { path: [pages, ...packages('vega', 'vega-lite', '@resvg/[^/]+')] },
    },
    {
      name: 'wiring-is-above-the-folders-and-below-the-commands',
      severity: 'error',
      from: { path: wiring },
      to: { path: [lab, cli] },
    },
    {
      name: 'only-wiring-and-commands-import-wiring',
      severity: 'error',
      from: { path: '^src/', pathNot: [wiring, lab, cli] },
      to: { path: wiring },
    },
    {
      name: 'only-cli-imports-lab',
      severity: 'error',
      from: { path: '^src/', pathNot: [lab, cli] },
      to: { path: lab },
    },
    {
      name: 'nobody-imports-cli',
      severity: 'error',
      from: { pathNot: cli },
      to: { path: cli },
    },
    {
      name: 'src-imports-no-examples-or-tests',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: ['^examples/', '^test/', '^scripts/'] },
    },
    {
      name: 'src-imports-itself-by-path',
      comment: 'by its name the package would be a second copy of each module',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^dist/' },
    },
    {
      name: 'examples-import-the-package-by-its-name',
      severity: 'error',
      from: { path: '^examples/' },
      to: { path: ['^src/', '^test/', '^scripts/'] },
    },
    {
      name: 'every-import-resolves',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^holdfast(/|$)' }, // dist may not be built yet
    },
    {
      name: 'no-development-package-in-src',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/lab/bench/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: ['node_modules', '^dist/'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.d.ts', '.json'],
    },
  },
};
