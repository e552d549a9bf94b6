#!/usr/bin/env node
import { exitCodes } from './exit-codes.js';
import { runCommand } from './run-command.js';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(); // whoever reads, such as head, has read enough
  process.stderr.write(`error: standard output can't be written: ${error.message}\n`);
  process.exit(exitCodes.usage);
});
process.stderr.on('error', () => {}); // whoever read it is gone: there is nobody to tell

// no process.exit: it would cut what a pipe has not yet taken
process.exitCode = await runCommand(process.argv.slice(2));
