import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addAuditCommand } from './audit/command.js';
import { addDoctorCommand } from './doctor/command.js';
import { addDrillCommand } from './drill/command.js';
import { exitCodesHelp } from './exit-codes.js';
import { addLedgerCommands } from './ledger/commands.js';
import { addPlanCommand } from './plan/command.js';
import { addReplayCommand } from './replay/command.js';
import { addReportCommand } from './report/command.js';
import { addRunCommand } from './run/command.js';
import { addStormCommand } from './storm/command.js';
import { addWorkerCommand } from './worker/command.js';

const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(manifest) as { readonly version: string }; // this package's own

/** Makes the `holdfast` program: a file for each command. It throws where commander would exit. */
export function createProgram(): Command {
  const program = new Command('holdfast')
    .description('Agent tasks on Temporal that survive bad tools: the commands for people.')
    .version(version)
    .exitOverride()
    .configureOutput({ outputError: () => {} }) // runCommand says it, as text or as JSON
    .addHelpText('after', exitCodesHelp);
  addPlanCommand(program);
  addRunCommand(program);
  addWorkerCommand(program);
  addReplayCommand(program);
  addReportCommand(program);
  addAuditCommand(program);
  addLedgerCommands(program);
  addDoctorCommand(program);
  addDrillCommand(program);
  addStormCommand(program);
  return program;
}
