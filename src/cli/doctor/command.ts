import { type Command, Option } from 'commander';
import { ChecksFailedError } from '../cli-errors.js';
import { wholeNumber } from '../number-option.js';
import { ledgerOption } from '../open-ledger.js';
import { paint, type Style, say, sayJson } from '../output.js';
import { printable } from '../printable.js';
import { renderTable } from '../table.js';
import {
  addressOption,
  CONNECT_TIMEOUT_MS,
  readServerConfig,
  withClient,
} from '../temporal-client.js';
import type { Check } from './check.js';
import type { DoctorOptions } from './examine.js';

type DoctorCommandOptions = DoctorOptions & { readonly json?: true };

const help = `
Looks at the server, the namespace, its search attributes, the stores, the versions, and at how
recent runs retry. It changes nothing without --fix, and starts nothing without --probe.
Prints one JSON document with --json: {"server", "namespace", "checks": [{"check", "state",
"found", "advice"}], "faults", "warnings"}. Ends with 1 where it found a fault, and with 3 where
no server answers.

Examples:
  holdfast doctor
  holdfast doctor --fix --probe --ledger ./effects.db
  holdfast doctor --namespace support --json`;

/** Adds `holdfast doctor`. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('Look for what keeps holdfast from working well on a server')
    .addOption(addressOption())
    .option('--namespace <name>', "the server's namespace")
    .addOption(ledgerOption())
    .addOption(
      new Option(
        '--retention-days <days>',
        "for how long the workers' ledger keeps effects",
      ).argParser(wholeNumber({ least: 1, most: 36_500 })),
    )
    .addOption(
      new Option('--fleet <address>', 'postgres://…: what the workers of a fleet share').env(
        'HOLDFAST_FLEET',
      ),
    )
    .option('--fix', 'register the search attributes that are missing')
    .option('--probe', 'start a tiny workflow that measures the waits of the server')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(diagnose);
}

async function diagnose(options: DoctorCommandOptions): Promise<void> {
  const { examine } = await import('./examine.js'); // what it looks with takes a while to load
  const server = readServerConfig(options);
  const checks = await withClient(server, CONNECT_TIMEOUT_MS, (client) =>
    examine(client, { ...options, address: server.address, namespace: server.namespace }),
  );
  const count = (state: Check['state']): number =>
    checks.filter((one) => one.state === state).length;
  const faults = count('fault');
  const warnings = count('warning');
  if (options.json) {
    const { address, namespace } = server;
    const told = checks.map((one) => ({ ...one, advice: one.advice ?? null }));
    sayJson({ server: address, namespace, checks: told, faults, warnings });
  } else {
    say(asText(checks));
  }
  if (faults > 0) throw new ChecksFailedError(faults, checks.length);
}

const styles: Readonly<Record<Check['state'], Style>> = {
  ok: 'green',
  warning: 'yellow',
  fault: 'red',
  unchecked: 'dim',
};

function asText(checks: readonly Check[]): string {
  const table = renderTable<Check>(
    [
      { title: 'CHECK', most: 20, text: ({ check }) => check },
      {
        title: 'STATE',
        most: 9,
        text: ({ state }) => state,
        style: ({ state }) => styles[state],
      },
      { title: 'FOUND', most: 70, text: ({ found }) => printable(found) },
    ],
    checks,
    { paint, isWide: true },
  );
  const advised = checks.filter(({ advice }) => advice !== undefined);
  if (advised.length === 0) return table;
  const lines = advised.map(
    ({ check, state, advice = '' }) => `${paint(styles[state], check)}: ${printable(advice)}`,
  );
  return [table, '', ...lines].join('\n');
}
