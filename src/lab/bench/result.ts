import type { Spread } from './statistics.js';

/** One line of a benchmark: a figure with its spread. */
export type Measure = {
  readonly name: string;
  readonly unit: string;
} & Spread;

/** A bound that the project has set itself. */
export type Check = {
  readonly name: string;
  readonly value: number;
  readonly rule: 'at least' | 'at most' | 'equal to';
  readonly limit: number;
  readonly holds: boolean;
};

/** What one benchmark found. */
export type BenchResult = {
  readonly id: string;
  readonly title: string;
  readonly measures: readonly Measure[];
  readonly checks: readonly Check[];
  /** What the figures mean and what they leave out. */
  readonly notes: readonly string[];
};

/** How thoroughly to measure. */
export type BenchOptions = {
  /** Fewer rounds: to see that it runs, not to judge by. */
  readonly quick: boolean;
  /** Progress, a line each. */
  readonly log: (line: string) => void;
  /** Items of the batch that (h) runs. @default 100,000 */
  readonly items?: number | undefined;
  /** Folder for CPU profiles of the measured worker processes. */
  readonly profileFolder?: string | undefined;
};

/** Returns a bound with whether it holds; NaN holds no bound. */
export function check({ name, value, rule, limit }: Omit<Check, 'holds'>): Check {
  return { name, value, rule, limit, holds: holds(value, rule, limit) };
}

function holds(value: number, rule: Check['rule'], limit: number): boolean {
  switch (rule) {
    case 'at least':
      return value >= limit;
    case 'at most':
      return value <= limit;
    case 'equal to':
      return value === limit;
  }
}
