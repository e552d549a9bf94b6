import { type Recovery, recoveryOf } from './recovery.js';
import { checkScenario, type Scenario } from './scenario.js';
import { simulate } from './simulate.js';
import { type StrategyName, strategies } from './strategies/named.js';
import type { Second, Totals } from './tally.js';

/** What one strategy came to. */
export type StormRun = {
  readonly strategy: StrategyName;
  readonly totals: Totals;
  readonly recovery: Recovery;
  /** Attempts in the busiest second. */
  readonly peakPerSecond: number;
  /** Events of the simulation. */
  readonly events: number;
  readonly seconds: readonly Second[];
};

/** A storm, and what each strategy came to in it. */
export type Storm = {
  readonly scenario: Scenario;
  readonly runs: readonly StormRun[];
};

/**
 * Runs a storm once for each strategy; all of them meet the same calls.
 * Throws `InvalidRequestError` for a scenario that breaks its rules.
 */
export async function runStorm({
  scenario,
  names,
  onProgress = () => {},
}: {
  readonly scenario: Scenario;
  readonly names: readonly StrategyName[];
  readonly onProgress?: (text: string) => void;
}): Promise<Storm> {
  checkScenario(scenario);
  const runs: StormRun[] = [];
  for (const strategy of names) {
    onProgress(`${strategy}: begins`);
    const { tally, events } = await simulate(
      scenario,
      strategies[strategy].create(scenario.attempts),
      {
        onProgress: ({ second }) =>
          onProgress(`${strategy}: second ${second} of ${scenario.seconds}`),
      },
    );
    const { seconds } = tally;
    runs.push({
      strategy,
      totals: tally.totals(),
      recovery: recoveryOf(scenario, seconds),
      peakPerSecond: seconds.reduce((most, { attempts }) => Math.max(most, attempts), 0),
      events,
      seconds,
    });
  }
  return { scenario, runs };
}
