import type { Block, Blocks } from './overhead.js';
import { type BenchResult, check, type Measure } from './result.js';
import { ratioOf, spreadOf } from './statistics.js';
import { type WorkerKind, workerKinds } from './worker-kinds.js';

const MOST_CPU = 1.1;
const MOST_LATENCY = 1.05;

const names: Readonly<Record<WorkerKind, string>> = {
  plain: 'plain Temporal',
  adopted: 'governed, policy module',
  library: 'governed, tools with zod',
};
const figures: readonly { readonly name: string; readonly unit: string; readonly of: Figure }[] = [
  { name: 'worker CPU per workflow', unit: 'ms', of: ({ cpuMs }) => cpuMs },
  { name: 'latency', unit: 'ms', of: ({ latencyMs }) => latencyMs },
  { name: 'history events', unit: 'events', of: ({ historyEvents }) => historyEvents },
  { name: 'history', unit: 'bytes', of: ({ historyBytes }) => historyBytes },
];

type Figure = (block: Block) => number;

/** Returns what the blocks say: every figure of every kind, and the bounds for plain calls governed. */
export function overheadResult(blocks: Blocks): BenchResult {
  const ratio = (kind: WorkerKind, of: Figure): Measure => ({
    name: `${names[kind]} / plain`,
    unit: 'times',
    ...ratioOf(blocks[kind].map(of), blocks.plain.map(of)),
  });
  return {
    id: 'b',
    title: 'governed beside plain workflows of three activities',
    measures: figures.flatMap(({ name, unit, of }) => [
      ...workerKinds.map((kind) => ({
        name: `${name}: ${names[kind]}`,
        unit,
        ...spreadOf(blocks[kind].map(of)),
      })),
      ...workerKinds
        .filter((kind) => kind !== 'plain')
        .map((kind) => {
          const measure = ratio(kind, of);
          return { ...measure, name: `${name}: ${measure.name}` };
        }),
    ]),
    checks: [
      check({
        name: 'worker CPU per workflow, policy module / plain',
        value: ratio('adopted', ({ cpuMs }) => cpuMs).median,
        rule: 'at most',
        limit: MOST_CPU,
      }),
      check({
        name: 'median latency, policy module / plain',
        value: ratio('adopted', ({ latencyMs }) => latencyMs).median,
        rule: 'at most',
        limit: MOST_LATENCY,
      }),
      ...(['adopted', 'library'] as const).map((kind) =>
        check({
          name: `history events, ${names[kind]}`,
          value: spreadOf(blocks[kind].map(({ historyEvents }) => historyEvents)).median,
          rule: 'equal to',
          limit: spreadOf(blocks.plain.map(({ historyEvents }) => historyEvents)).median,
        }),
      ),
    ],
    notes: [
      'All activities are reads: (d) measures the ledger of a write.',
      'Warm workers: 500 workflows of each kind come first, since a cold gate is interpreted, not compiled.',
      'Blocks of each kind by turns on one server; a ratio is taken round by round, then its median.',
      'CPU is that of the worker process alone. The bundle of the policy module holds no zod; with tools zod',
      'is evaluated and schemas are built in each run: that price is stated, without a bound.',
    ],
  };
}
