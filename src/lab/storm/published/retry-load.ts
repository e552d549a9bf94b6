import { policyDefaults } from '../../../contract/policy.js';
import {
  failureShareAllowance,
  fleetAllowance,
  ratioAllowance,
  tokenBucketAllowance,
} from '../strategies/allowances.js';
import type { Allowance } from '../strategies/strategy.js';
import { runFailingServer } from './failing-server.js';
import { type Figure, figureOf, type Study, type StudyOptions } from './figure.js';

type Rule = {
  readonly name: string;
  readonly maxAttempts: number;
  readonly allowance?: () => Allowance;
};

/** A setting with the success in percent and the load that the study found for it, where it has the rule. */
type Case = {
  readonly rule: Rule;
  readonly setting: string;
  readonly clients: number;
  readonly callsPerSecond: number;
  readonly failureShare: number;
  readonly published?: readonly [number, number];
};

const noRetries: Rule = { name: 'no retries', maxAttempts: 1 };
const threeRetries: Rule = { name: 'three retries', maxAttempts: 4 };
const bucket: Rule = {
  name: 'token bucket, a tenth a call',
  maxAttempts: Number.POSITIVE_INFINITY,
  allowance: () => tokenBucketAllowance({ size: 5, perCall: 0.1 }),
};
const shareOfFailures: Rule = {
  name: 'none above 10 % failures',
  maxAttempts: 4,
  allowance: () => failureShareAllowance(0.1),
};
const ourRatio: Rule = {
  name: 'holdfast, a ratio each',
  maxAttempts: 4,
  allowance: () => ratioAllowance(policyDefaults.ratio),
};
const ourFleet: Rule = {
  name: 'holdfast, a ratio for the fleet',
  maxAttempts: 4,
  allowance: () => fleetAllowance(policyDefaults.ratio),
};

const seconds = 20;
const source = 'github.com/mbrooker/simulator_example, retry_sim';

/** Runs the study of the load that retries make, by the share of attempts that fail (V97). */
export async function reproduceFailureRate(options: StudyOptions): Promise<Study> {
  const published = new Map<Rule, readonly [readonly [number, number], readonly [number, number]]>([
    [
      noRetries,
      [
        [90.27, 1],
        [50.5, 1],
      ],
    ],
    [
      threeRetries,
      [
        [99.96, 1.11],
        [93.72, 1.876],
      ],
    ],
    [
      bucket,
      [
        [98.97, 1.098],
        [56.5, 1.121],
      ],
    ],
    [
      shareOfFailures,
      [
        [92.76, 1.031],
        [49.99, 1],
      ],
    ],
  ]);
  const cases = [noRetries, threeRetries, bucket, shareOfFailures, ourRatio, ourFleet].flatMap(
    (rule) =>
      [0.1, 0.5].map((failureShare, index): Case => {
        const figures = published.get(rule)?.[index];
        return {
          rule,
          setting: `${failureShare * 100} % fail`,
          clients: 100,
          callsPerSecond: 1_000,
          failureShare,
          ...(figures === undefined ? {} : { published: figures }),
        };
      }),
  );
  return {
    name: 'failure-rate',
    title: 'Load by the share of attempts that fail (V97)',
    source,
    setting: `100 clients of 10 calls/s each, ${seconds} s, no backoff; the study's figures are one run each.`,
    figures: await runCases(cases, { ...options, runs: options.runs ?? 8 }),
  };
}

/** Runs the study of the load that retries make, by the number of clients among which the calls are divided (V98). */
export async function reproduceClients(options: StudyOptions): Promise<Study> {
  const published = new Map<Rule, Readonly<Record<number, readonly [number, number]>>>([
    [bucket, { 10: [58.79, 1.12], 100: [64.35, 1.298], 1000: [91.9, 1.82] }],
    [shareOfFailures, { 10: [50.12, 1], 100: [49.6, 1], 1000: [49.75, 1] }],
  ]);
  const cases = [bucket, shareOfFailures, ourRatio, ourFleet].flatMap((rule) =>
    [10, 100, 1_000].map((clients): Case => {
      const figures = published.get(rule)?.[clients];
      return {
        rule,
        setting: `${clients} clients`,
        clients,
        callsPerSecond: 100,
        failureShare: 0.5,
        ...(figures === undefined ? {} : { published: figures }),
      };
    }),
  );
  return {
    name: 'clients',
    title: 'Load by the number of clients (V98)',
    source,
    setting: `100 calls/s in all of which half of the attempts fail, ${seconds} s; the study's figures are one run each.`,
    figures: await runCases(cases, { ...options, runs: options.runs ?? 20 }),
  };
}

async function runCases(
  cases: readonly Case[],
  { seed, runs, onProgress }: StudyOptions & { readonly runs: number },
): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const { rule, setting, published, ...model } of cases) {
    const name = `${rule.name}, ${setting}`;
    onProgress?.(name);
    const successes: number[] = [];
    const loads: number[] = [];
    for (let run = 0; run < runs; run++) {
      const { maxAttempts } = rule;
      const allowance = rule.allowance?.();
      const ran = await runFailingServer({
        ...model,
        seconds,
        maxAttempts,
        allowance,
        seed: seed + run,
      });
      successes.push(ran.successPercent);
      loads.push(ran.load);
    }
    const common = { publishedRuns: 1 };
    figures.push(
      figureOf({
        ...common,
        name: `${name}: success`,
        unit: '%',
        values: successes,
        ...(published === undefined ? {} : { published: published[0] }),
      }),
      figureOf({
        ...common,
        name: `${name}: load`,
        unit: 'times',
        values: loads,
        ...(published === undefined ? {} : { published: published[1] }),
      }),
    );
  }
  return figures;
}
