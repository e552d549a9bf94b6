import { randomUUID } from 'node:crypto';
import type { Pair } from './ledger-pair.js';
import type { BenchOptions, Check, Measure } from './result.js';
import { check } from './result.js';
import { ratioOf, spreadOf, turned } from './statistics.js';

/** A store's ledger beside the bare statements. */
export type PairContest = {
  readonly store: string;
  /** Pairs at once: a measurement for each. */
  readonly inFlight: readonly number[];
  readonly ledger: Pair;
  readonly bare: Pair;
};

type Scale = { readonly rounds: number; readonly pairs: number; readonly longestMs: number };

const full: Scale = { rounds: 41, pairs: 100, longestMs: 20_000 };
const quickly: Scale = { rounds: 3, pairs: 16, longestMs: 5_000 };
const leastRatio = 0.7;

/** Measures pairs of claim and settle per second, in short blocks by turns. */
export async function measurePairs(
  contest: PairContest,
  { quick, log }: BenchOptions,
): Promise<{ readonly measures: readonly Measure[]; readonly checks: readonly Check[] }> {
  const scale = quick ? quickly : full;
  const measures: Measure[] = [];
  const checks: Check[] = [];
  for (const inFlight of contest.inFlight) {
    const name = `${contest.store}, ${inFlight} at once`;
    log(`(d) claim and settle: ${name}`);
    const { ledger, bare } = await measureByTurns(contest, inFlight, scale);
    const ratio = ratioOf(ledger, bare);
    measures.push(
      { name: `claim and settle: ledger, ${name}`, unit: '/s', ...spreadOf(ledger) },
      { name: `claim and settle: bare, ${name}`, unit: '/s', ...spreadOf(bare) },
      { name: `claim and settle: ledger / bare, ${name}`, unit: 'times', ...ratio },
    );
    checks.push(
      check({
        name: `claim and settle per second, ledger / bare, ${name}`,
        value: ratio.median,
        rule: 'at least',
        limit: leastRatio,
      }),
    );
  }
  return { measures, checks };
}

type Rates = Readonly<Record<'ledger' | 'bare', number[]>>;

async function measureByTurns(
  contest: PairContest,
  inFlight: number,
  { rounds, pairs, longestMs }: Scale,
): Promise<Rates> {
  const sides = ['ledger', 'bare'] as const;
  const rates: Rates = { ledger: [], bare: [] };
  for (const side of sides) await perSecond(contest[side], inFlight, pairs);
  const startedAt = performance.now();
  for (let round = 0; round < rounds; round++) {
    if (round > 0 && performance.now() - startedAt > longestMs) break;
    for (const side of turned(sides, round)) {
      rates[side].push(await perSecond(contest[side], inFlight, pairs));
    }
  }
  return rates;
}

async function perSecond(pair: Pair, inFlight: number, pairs: number): Promise<number> {
  let left = pairs;
  const takeTurns = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await pair.run(randomUUID());
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: inFlight }, takeTurns));
  return (pairs * 1_000) / (performance.now() - startedAt);
}
