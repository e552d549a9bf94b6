import { type Command, Option } from 'commander';
import type { Study } from '../../lab/storm/published/figure.js';
import type { StudyName } from '../../lab/storm/published/studies.js';
import type { StrategyName } from '../../lab/storm/strategies/named.js';
import type { Page } from '../../pages/page.js';
import { UsageError } from '../cli-errors.js';
import { wholeNumber } from '../number-option.js';
import { createProgress, type Progress, paint, say, sayJson } from '../output.js';
import { checkWritable } from '../write-file.js';
import { checkWritableFolder, writeCharts, writePage } from '../write-page.js';
import {
  addScenarioOptions,
  type ScenarioOptions,
  scenarioFrom,
  scenarioWords,
} from './scenario-options.js';

type StormOptions = ScenarioOptions & {
  readonly strategy?: readonly (StrategyName | 'all')[];
  readonly reproduce?: StudyName | 'all';
  readonly runs?: number;
  readonly html?: string;
  readonly png?: string;
  readonly json?: true;
};

/** Those that are shown where nobody asks for others: the rest is of published studies, or a variant. */
const usual: readonly StrategyName[] = [
  ...(['fixed', 'fixed-jitter', 'none', 'full', 'decorrelated'] as const),
  ...(['ratio', 'bounded', 'fleet', 'breaker'] as const),
];
const others = ['worker-breaker', 'no-wait', 'equal', 'token-bucket', 'failure-share'] as const;
const studyNames = ['contention', 'failure-rate', 'clients', 'collapse'] as const;

const help = `
Strategies: fixed, fixed-jitter, none (waits that double), full, decorrelated; ratio, bounded, fleet
and breaker, which keep holdfast's budgets, each with those before it; worker-breaker; and of
published studies no-wait, equal, token-bucket and failure-share. All of them meet the same calls.
Errors are calls without an answer; p50 and p99 are of all calls, until their answer or their error;
a breaker's rejection is an error at once. RECOVERS: seconds from the outage's end until nine tenths
of the answers are back; unknown where the run ends too early to tell.
--reproduce runs published simulations again, and says how far each of their figures is from what
comes out here; it takes only --seed and --runs.
--json prints {"scenario", "runs": [{"strategy", "totals", "recovery", "seconds": […]}]}, or
{"studies": [{"name", "figures": […]}]}: the same for the same options, whenever and wherever.

Examples:
  holdfast storm
  holdfast storm --strategy none full breaker --outage 30 --html storm.html
  holdfast storm --clients 1000000 --rate 50000 --capacity 100000 --duration 20 --strategy full
  holdfast storm --reproduce contention`;

/** Adds `holdfast storm`. */
export function addStormCommand(program: Command): void {
  const command = program
    .command('storm')
    .description('Simulate what clients that retry do to a downstream, by strategy');
  addScenarioOptions(command)
    .addOption(
      new Option('--strategy <names...>', 'strategies to run, or all').choices([
        ...usual,
        ...others,
        'all',
      ]),
    )
    .addOption(
      new Option('--reproduce <study>', 'run a published simulation again').choices([
        ...studyNames,
        'all',
      ]),
    )
    .addOption(
      new Option('--runs <number>', 'runs of each case of a study').argParser(
        wholeNumber({ least: 1, most: 10_000 }),
      ),
    )
    .option('--html <file>', 'write a page with plots')
    .option('--png <folder>', 'write the plots as pictures')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(storm);
}

async function storm(options: StormOptions): Promise<void> {
  checkTogether(options);
  // not after minutes of work
  if (options.html !== undefined) await checkWritable(options.html);
  if (options.png !== undefined) await checkWritableFolder(options.png);
  const progress = createProgress();
  try {
    await (options.reproduce === undefined
      ? simulate(options, progress)
      : reproduce(options, options.reproduce, progress));
  } finally {
    progress.end();
  }
}

async function simulate(options: StormOptions, progress: Progress): Promise<void> {
  const { runStorm } = await import('../../lab/storm/storm.js');
  const { stormPage } = await import('../../lab/storm/storm-page.js');
  const names = namesOf(options.strategy ?? usual);
  const ran = await runStorm({
    scenario: scenarioFrom(options),
    names,
    onProgress: (text) => progress.show(text),
  });
  progress.end();
  const words = options.strategy === undefined ? [] : [`--strategy ${names.join(' ')}`];
  const written = await write(options, () => stormPage(ran, commandOf(options, words)));
  if (options.json) return sayJson(ran);
  const { renderStorm } = await import('./storm-text.js');
  say([renderStorm(ran), ...written].join('\n'));
}

async function reproduce(
  options: StormOptions,
  name: StudyName | 'all',
  progress: Progress,
): Promise<void> {
  const { studies } = await import('../../lab/storm/published/studies.js');
  const { studyPage } = await import('../../lab/storm/published/study-page.js');
  const { seed = 1, runs } = options;
  const ran: Study[] = [];
  for (const study of name === 'all' ? studyNames : [name]) {
    ran.push(
      await studies[study]({
        seed,
        runs,
        onProgress: (text) => progress.show(`${study}: ${text}`),
      }),
    );
  }
  progress.end();
  const words = [`--reproduce ${name}`, ...(runs === undefined ? [] : [`--runs ${runs}`])];
  const written = await write(options, () => studyPage(ran, commandOf(options, words)));
  if (options.json) return sayJson({ studies: ran });
  const { renderStudy } = await import('./storm-text.js');
  say([...ran.map((study) => renderStudy(study, paint)), ...written].join('\n'));
}

/** A study has a scenario and strategies of its own. */
function checkTogether({ reproduce: study, runs, strategy, ...options }: StormOptions): void {
  if (study === undefined) {
    if (runs !== undefined) throw new UsageError('--runs is for --reproduce.');
    return;
  }
  const { seed: _, ...others } = options;
  const words = [...scenarioWords(others), ...(strategy === undefined ? [] : ['--strategy'])];
  const [first] = words;
  if (first === undefined) return;
  throw new UsageError(`--reproduce takes no ${first.split(' ')[0]}: a study has its own.`);
}

function namesOf(chosen: readonly (StrategyName | 'all')[]): readonly StrategyName[] {
  const names = chosen.flatMap((name) => (name === 'all' ? [...usual, ...others] : [name]));
  return [...new Set(names)];
}

/** Writes what was asked for, and returns lines that say where it is. */
async function write(
  { html, png }: StormOptions,
  makePage: () => Page,
): Promise<readonly string[]> {
  if (html === undefined && png === undefined) return [];
  const page = makePage();
  if (html !== undefined) await writePage(html, page);
  const pictures = png === undefined ? [] : await writeCharts(png, page);
  return [...(html === undefined ? [] : [html]), ...pictures].map((path) => `Written: ${path}`);
}

function commandOf(options: StormOptions, words: readonly string[]): string {
  return ['holdfast storm', ...scenarioWords(options), ...words].join(' ');
}
