import { type Command, InvalidArgumentError } from 'commander';
import { mostSeed, type Scenario, scenarioDefaults } from '../../lab/storm/scenario.js';
import { wholeNumber } from '../number-option.js';

/** What the command line says of a storm. */
export type ScenarioOptions = {
  readonly seed?: number;
  readonly clients?: number;
  readonly rate?: number;
  readonly surge?: number;
  readonly surgeEvery?: number;
  readonly duration?: number;
  readonly capacity?: number;
  readonly service?: number;
  readonly queue?: number;
  readonly refusal?: number;
  readonly failure?: number;
  readonly timeout?: number;
  readonly attempts?: number;
  readonly outageFrom?: number;
  readonly outage?: number;
  readonly outageCapacity?: number;
};

const { surge, outage, ...defaults } = scenarioDefaults;

type OptionRow = readonly [
  flags: string,
  text: string,
  value: number,
  read?: (text: string) => number,
];

const aSeed = wholeNumber({ least: 0, most: mostSeed });

/** Each option with what stands for its value, what it means, its default, and its reader where it isn't `aNumber`. */
const options: readonly OptionRow[] = [
  ['--seed <number>', 'the same seed gives the same figures', defaults.seed, aSeed],
  ['--clients <number>', 'clients; budgets and breakers are a client’s', defaults.clients],
  ['--rate <calls>', 'calls a second of all clients', defaults.callsPerSecond],
  ['--surge <calls>', 'calls that begin at one moment, besides', surge.calls],
  ['--surge-every <seconds>', 'seconds between two surges', surge.everySeconds],
  ['--duration <seconds>', 'seconds in which calls begin', defaults.seconds],
  ['--capacity <calls>', 'answers a second of the downstream', defaults.capacityPerSecond],
  ['--service <ms>', 'its work on a call, in the mean', defaults.serviceMs],
  ['--queue <attempts>', 'attempts that may wait there', defaults.queue],
  ['--refusal <share>', 'work of a refusal, as a share of an answer’s', defaults.refusalShare],
  ['--failure <share>', 'the share of its answers that are failures', defaults.failureShare],
  ['--timeout <ms>', 'when a client gives an attempt up', defaults.timeoutMs],
  ['--attempts <number>', 'attempts of strategies without a bound', defaults.attempts],
  ['--outage-from <second>', 'when the outage begins', outage.fromSecond],
  ['--outage <seconds>', 'how long it lasts; 0 for none', outage.seconds],
  ['--outage-capacity <share>', 'the capacity that it leaves', outage.capacityShare],
];

/** Adds the options that make a storm. */
export function addScenarioOptions(command: Command): Command {
  for (const [flags, text, value, read = aNumber] of options) {
    command.option(flags, `${text} (default: ${value})`, read);
  }
  return command;
}

/** Returns the scenario that the options ask for; whether it keeps its rules is asked by whoever runs it. */
export function scenarioFrom(given: ScenarioOptions): Scenario {
  return {
    seed: given.seed ?? defaults.seed,
    clients: given.clients ?? defaults.clients,
    callsPerSecond: given.rate ?? defaults.callsPerSecond,
    surge: {
      calls: given.surge ?? surge.calls,
      everySeconds: given.surgeEvery ?? surge.everySeconds,
    },
    seconds: given.duration ?? defaults.seconds,
    capacityPerSecond: given.capacity ?? defaults.capacityPerSecond,
    serviceMs: given.service ?? defaults.serviceMs,
    queue: given.queue ?? defaults.queue,
    refusalShare: given.refusal ?? defaults.refusalShare,
    failureShare: given.failure ?? defaults.failureShare,
    timeoutMs: given.timeout ?? defaults.timeoutMs,
    attempts: given.attempts ?? defaults.attempts,
    outage: {
      fromSecond: given.outageFrom ?? outage.fromSecond,
      seconds: given.outage ?? outage.seconds,
      capacityShare: given.outageCapacity ?? outage.capacityShare,
    },
  };
}

/** Returns the options as a command line says them, those alone that were given. */
export function scenarioWords(given: ScenarioOptions): readonly string[] {
  return options.flatMap(([flags]) => {
    const flag = flags.split(' ')[0] ?? flags;
    const name = flag.slice(2).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const value = Object.entries(given).find(([option]) => option === name)?.[1];
    return typeof value === 'number' ? [`${flag} ${value}`] : [];
  });
}

function aNumber(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(value)) return value;
  throw new InvalidArgumentError('It must be a number.');
}
