import { type Command, Option } from 'commander';
import { ToldEnd } from '../cli-errors.js';
import { exitCodes } from '../exit-codes.js';
import { createProgress, paint, say, sayJson } from '../output.js';
import { printable } from '../printable.js';
import {
  addressOption,
  CONNECT_TIMEOUT_MS,
  readServerConfig,
  type ServerChoice,
  withClient,
} from '../temporal-client.js';
import { someText } from '../text-option.js';
import type { RunEnd } from './run-end.js';

type RunOptions = ServerChoice & {
  readonly taskQueue: string;
  readonly id: string;
  readonly input?: string;
  readonly kind?: (typeof kinds)[number];
  readonly tools?: string;
  readonly tenant?: string;
  readonly policy?: string;
  readonly continuesBudgetOf?: string;
  readonly again?: true;
  readonly detach?: true;
  readonly strict?: true;
  readonly json?: true;
};

const kinds = ['task', 'loop', 'batch', 'other'] as const;

const help = `
The JSON is checked before the start, by what the workflow is: agentTask is a task, agentLoop a loop
and batch a batch; another name is anything, unless --kind says more. With --tools, a module that
exports the task's tools, their names and inputs are checked too. A wrong one starts nothing: exit
code 2.
A workflow of that id that runs is joined, and one that has ended well is shown and not run again,
unless --again. One that failed, timed out, or was cancelled or terminated, runs again: what has
happened isn't repeated.
It waits for the end, and says on standard error how far it is; --detach doesn't wait. Ctrl-C leaves
the workflow running: the same command joins it again.
Exit codes: 0 it ended with an answer (also a degraded or partial one: with --strict that is 5),
1 it failed, was cancelled, terminated or timed out, 2 a wrong option or input, 3 no server.
--json prints {"workflowId", "runId", "how": "started", "joined" or "ended-before", "end": {"kind":
"ok" or "degraded", "result"} or {"kind", "message", "type", "detail"}}; "end" is null with
--detach.

Examples:
  holdfast run agentTask --task-queue holdfast --id ticket-7 --input task.json
  holdfast run agentTask --task-queue holdfast --id ticket-8 --input - --json < task.json
  holdfast run supportAgent --kind loop --task-queue holdfast --id chat-3 --input chat.json --detach
  holdfast run agentTask --task-queue holdfast --id ticket-7-again --input task.json \\
    --continues-budget-of ticket-7`;

/** Adds `holdfast run`. */
export function addRunCommand(program: Command): void {
  program
    .command('run')
    .description('Run a task, a loop, a batch or any workflow, and wait for its end')
    .argument(
      '<type>',
      'the name under which the workflows file exports it, such as agentTask',
      someText,
    )
    .requiredOption('--task-queue <name>', 'the queue that its workers poll', someText)
    .requiredOption('--id <workflow id>', 'the same id is the same task', someText)
    .option('--input <file>', 'JSON of its argument, or - for standard input')
    .addOption(new Option('--kind <kind>', 'what the workflow is').choices(kinds))
    .option('--tools <module>', "the compiled module that exports the task's tools")
    .option('--tenant <name>', 'for whom it works', someText)
    .option(
      '--policy <file>',
      "JSON of a policy, in place of the one that comes with the workflow's code",
    )
    .option('--continues-budget-of <workflow id>', 'the earlier try whose spent budget counts here')
    .option('--again', 'run it again where it has ended well before')
    .option('--detach', "start it, and don't wait for its end")
    .option('--strict', 'exit code 5 where the answer is degraded or partial')
    .addOption(addressOption())
    .option('--namespace <name>', "the server's namespace")
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(run);
}

async function run(type: string, options: RunOptions): Promise<void> {
  const [
    { checkClientOptions, withClientInterceptor },
    { kindOfType, readPolicy, readTaskInput },
    { startRun },
    { followRun },
    text,
  ] = await Promise.all([
    import('../../client.js'), // the whole plugin would load Temporal's worker
    import('./task-input.js'),
    import('./start-run.js'),
    import('./follow-run.js'),
    import('./run-text.js'),
  ]);
  const { id: workflowId, taskQueue, tenant, json } = options;
  const kind = options.kind ?? kindOfType(type);
  const args = await readTaskInput({
    kind,
    input: options.input,
    continuesBudgetOf: options.continuesBudgetOf,
    tools: options.tools,
  });
  const clientOptions = checkClientOptions({
    tenant,
    policy: options.policy === undefined ? undefined : await readPolicy(options.policy),
    taskTypes: kind === 'task' ? [type] : [],
    loopTypes: kind === 'loop' ? [type] : [],
  });
  const server = readServerConfig(options);
  const progress = createProgress();
  const told = await withClient(
    server,
    CONNECT_TIMEOUT_MS,
    async (client) => {
      const again = options.again === true;
      const started = await startRun(client, { type, workflowId, taskQueue, args, again });
      const { handle, runId, how } = started;
      if (options.detach) return { workflowId, runId, how, end: null };
      const onProgress = (line: string): void => {
        if (!json) progress.show(`${printable(workflowId)}: ${line}`);
      };
      try {
        const end = await followRun({ client, handle, kind, onProgress });
        return { workflowId, runId, how, end };
      } finally {
        progress.end();
      }
    },
    {
      plugins: [
        {
          name: 'holdfast',
          configureClient: (client) => withClientInterceptor(client, clientOptions),
        },
      ],
    },
  );
  const { end, how, runId } = told;
  if (json) sayJson(told);
  else if (end === null) say(`${printable(workflowId)} ${startedText[how]}, run ${runId}`);
  else say(text.renderRun({ ...told, end }, paint));
  const code = end === null ? exitCodes.done : codeOf(end, options.strict === true);
  if (code !== exitCodes.done) throw new ToldEnd(code);
}

const startedText = {
  started: 'is started',
  joined: 'runs already',
  'ended-before': 'has ended before (to run it again: --again)',
} as const;

function codeOf({ kind }: RunEnd, isStrict: boolean): number {
  if (kind === 'ok') return exitCodes.done;
  if (kind === 'degraded') return isStrict ? exitCodes.degraded : exitCodes.done;
  return exitCodes.refused;
}
