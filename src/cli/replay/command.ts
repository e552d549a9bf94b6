import type { Command } from 'commander';
import { ChecksFailedError, UsageError } from '../cli-errors.js';
import { createProgress, paint, say, sayJson } from '../output.js';
import { addressOption, type ServerChoice } from '../temporal-client.js';
import type { Replayed } from './replay-histories.js';

type ReplayOptions = ServerChoice & {
  readonly workflows: string;
  readonly policyModule?: string;
  readonly workflow: readonly string[];
  readonly json?: true;
};

const help = `
Runs workflow code against histories, as a worker does after a restart, and says for which it would
make other commands: no server is needed for files, no activity runs. A file holds a history as
\`temporal workflow show --output json\`, the UI's download and the SDKs write it; of a folder all
.json files are replayed.
Where a file also holds the governor's "state" at the end of the run, as the query holdfast.state
returns it, the state after the replay is compared with it: replay alone sees neither retry policies
nor budgets.
Ends with 1 where a history doesn't fit. Prints one JSON document with --json: {"replayed":
[{"name", "events", "kind": "fits", "differs", "state-differs" or "unreadable", "message"}],
"faults"}.

Examples:
  holdfast replay histories/ --workflows dist/workflows.js
  holdfast replay before.json --workflows dist/workflows.js --policy-module dist/holdfast.js --json
  holdfast replay --workflow ticket-7 --workflow ticket-8 --workflows dist/workflows.js`;

/** Adds `holdfast replay`. */
export function addReplayCommand(program: Command): void {
  program
    .command('replay')
    .description('Replay histories against workflow code, and say which it no longer fits')
    .argument('[history...]', 'files of histories, or folders of them')
    .requiredOption('--workflows <module>', 'the compiled module of workflows')
    .option('--policy-module <module>', 'the module that governs plain activity calls')
    .option('--workflow <id>', 'a workflow of the server; may be repeated', collect, [])
    .option('--namespace <name>', "the server's namespace")
    .addOption(addressOption())
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(replay);
}

async function replay(paths: readonly string[], options: ReplayOptions): Promise<void> {
  if (paths.length + options.workflow.length === 0) {
    throw new UsageError('Name files or folders of histories, or workflows by --workflow <id>.');
  }
  const { historiesOf } = await import('./replay-sources.js');
  const histories = await historiesOf(paths, options);
  const { replayHistories } = await import('./replay-histories.js'); // Temporal's worker takes a second to load
  const progress = createProgress();
  const replayed: Replayed[] = [];
  try {
    progress.show('bundling the workflows');
    for await (const one of replayHistories(histories, options)) {
      replayed.push(one);
      progress.show(`${replayed.length} of ${histories.length} histories replayed`);
    }
  } finally {
    progress.end();
  }
  const faults = replayed.filter(({ kind }) => kind !== 'fits').length;
  if (options.json) sayJson({ replayed, faults });
  else {
    const { renderReplayed } = await import('./replay-text.js');
    say(renderReplayed(replayed, paint));
  }
  if (faults > 0) throw new ChecksFailedError(faults, replayed.length);
}

function collect(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}
