import { type Command, Option } from 'commander';
import { ledgerOption } from '../open-ledger.js';
import { paint, say } from '../output.js';
import { addressOption, readServerConfig, type ServerChoice } from '../temporal-client.js';

const logLevels = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;

type WorkerCommandOptions = ServerChoice & {
  readonly taskQueue?: string;
  readonly ledger?: string;
  readonly conversations?: string;
  readonly fleet?: string;
  readonly metrics?: string;
  readonly logLevel: (typeof logLevels)[number];
  readonly json?: true;
};

const help = `
The module, compiled to JavaScript, exports \`worker\`: an object of the type WorkerConfig, or a
function that makes one: {"workflowsPath", "taskQueue"?, "implementations"?, "policyModule"?, …,
"workerOptions"?, "close"?} and all that holdfast({…}) takes. Stores that are named here go before
the module's own; the ledger and the conversations are made where they are not there yet, and may
share a database.
--metrics takes the address that Prometheus scrapes, or the URL of an OpenTelemetry collector
(gRPC; HTTP where it has a path). Without it a module may call installTelemetry itself.
The first SIGINT or SIGTERM lets what runs end (workerOptions.shutdownGraceTime, 10 s) and exits
with 0; a second one ends the process at once. Logs go to standard error; --json makes a JSON object
of each line, and prints {"taskQueue", "namespace", "address"} when the worker is ready.

Examples:
  holdfast worker dist/worker.js --ledger ledger.db
  holdfast worker dist/worker.js --task-queue support --ledger postgres://app@db/holdfast
  holdfast worker dist/worker.js --fleet postgres://app@db/holdfast --log-level WARN
  holdfast worker dist/worker.js --ledger ledger.db --metrics 127.0.0.1:9464
  holdfast worker dist/worker.js --ledger ledger.db --metrics http://collector:4318/v1/metrics`;

/** Adds `holdfast worker`. */
export function addWorkerCommand(program: Command): void {
  program
    .command('worker')
    .description('Run a worker from a module, until it is told to stop')
    .argument('<module>', 'the compiled module that exports `worker`')
    .option('--task-queue <name>', "the queue to take tasks from, before the module's own")
    .addOption(ledgerOption())
    .option(
      '--conversations <address>',
      "where agent loops keep what was said (default: the ledger's)",
    )
    .addOption(
      new Option(
        '--fleet <address>',
        'postgres://…: limits and retry budget that all workers share',
      ).env('HOLDFAST_FLEET'),
    )
    .addOption(
      new Option(
        '--metrics <address>',
        'export metrics: an address such as 127.0.0.1:9464, or the URL of a collector',
      ).env('HOLDFAST_METRICS'),
    )
    .addOption(addressOption())
    .option('--namespace <name>', "the server's namespace")
    .addOption(
      new Option('--log-level <level>', 'the least that is logged')
        .choices(logLevels)
        .default('INFO'),
    )
    .option('--json', 'log JSON')
    .addHelpText('after', help)
    .action(work);
}

async function work(path: string, options: WorkerCommandOptions): Promise<void> {
  const [{ loadWorkerConfig }, { withStores }, { installRuntime }, { runWorker }] =
    await Promise.all([
      import('./load-config.js'),
      import('./open-stores.js'),
      import('./install-runtime.js'),
      import('./run-worker.js'), // Temporal's worker takes a second to load
    ]);
  const { logLevel, metrics } = options;
  const runtime = { logLevel, metrics, asJson: options.json === true };
  // The first runtime of a process stays: metrics that are asked for go before the module's own.
  if (metrics !== undefined) installRuntime(runtime);
  const config = await loadWorkerConfig(path, options.taskQueue);
  if (metrics === undefined) installRuntime(runtime);
  const server = readServerConfig(options);
  const { address, namespace } = server;
  const ready = { taskQueue: config.taskQueue, namespace, address };
  try {
    await withStores(options, (stores) =>
      runWorker({
        config,
        stores,
        server,
        onReady: () => {
          if (options.json) return say(JSON.stringify(ready));
          say(
            `${paint('bold', 'The worker is ready')}: task queue ${config.taskQueue}, ` +
              `namespace ${namespace}, server ${address}`,
          );
        },
      }),
    );
  } finally {
    await config.close?.();
  }
}
