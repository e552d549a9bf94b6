import { strategies } from '../strategies/named.js';
import type { Strategy } from '../strategies/strategy.js';
import { runCollapsingServer } from './collapsing-server.js';
import { type Figure, figureOf, meanOf, type Study, type StudyOptions } from './figure.js';

type Contestant = {
  readonly name: string;
  readonly create: () => Strategy;
  /** Answers a second once the spike is over, and retries in all (V99). */
  readonly published?: readonly [number, number];
  /** The study says "8-9" and "~40" of the answers. */
  readonly rounding?: number;
};

/** The study's two strategies, and holdfast's on the same model. */
const contestants: readonly Contestant[] = [
  {
    name: 'no backoff, three attempts',
    create: () => ({ maxAttempts: 3, waitMs: () => 0 }),
    published: [8.5, 3_417],
    rounding: 0.5,
  },
  {
    name: 'full jitter over 20 and 40 s, three attempts',
    create: () => ({
      maxAttempts: 3,
      waitMs: ({ retry, random }) => random.next() * 20_000 * 2 ** retry,
    }),
    published: [40, 151],
    rounding: 0.5,
  },
  { name: 'holdfast, full jitter alone', create: () => strategies.full.create(3) },
  { name: 'holdfast, bounded', create: () => strategies.bounded.create() },
  {
    name: 'holdfast, bounded with a worker’s breaker',
    create: () => strategies['worker-breaker'].create(),
  },
];

/** The study's figures are the mean of five runs. */
const publishedRuns = 5;
/** Answers a second, of 40 calls, below which less than half is answered. */
const halfAnswered = 20;
/** Seconds after the spike that count as the steady state: from 40 to 78. */
const steady = [40, 79] as const;

/** Runs the study of a server that a short spike of load leaves collapsed, or not (V99). */
export async function reproduceCollapse(options: StudyOptions): Promise<Study> {
  const { seed, runs = 60, onProgress } = options;
  const figures: Figure[] = [];
  for (const { name, create, published, rounding = 0 } of contestants) {
    onProgress?.(name);
    const answers: number[] = [];
    const retries: number[] = [];
    for (let run = 0; run < runs; run++) {
      const ran = await runCollapsingServer(seed + run, create());
      answers.push(meanOf(ran.successes.slice(...steady)));
      retries.push(ran.retries);
    }
    const common = { publishedRuns };
    figures.push(
      figureOf({
        ...common,
        name: `${name}: answers after the spike`,
        unit: 'per second',
        values: answers,
        rounding,
        ...(published === undefined ? {} : { published: published[0] }),
      }),
      figureOf({
        ...common,
        name: `${name}: retries`,
        unit: 'retries',
        values: retries,
        ...(published === undefined ? {} : { published: published[1] }),
      }),
      figureOf({
        ...common,
        name: `${name}: runs with less than half answered`,
        unit: '%',
        values: answers.map((answered) => (answered < halfAnswered ? 100 : 0)),
      }),
    );
  }
  return {
    name: 'collapse',
    title: 'Collapse by a spike of load, and recovery (V99)',
    source: 'github.com/mbrooker/simulator_example, simple_collapse_sim',
    setting:
      '40 calls/s, 80 for five seconds; a timeout of 3 s; a server that slows with what it has in hand.',
    figures,
  };
}
