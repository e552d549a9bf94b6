#!/usr/bin/env node
import { runCommand } from './run-command.js';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(); // whoever reads, such as head, has read enough
  throw error;
});

// no process.exit: it would cut what a pipe has not yet taken
process.exitCode = await runCommand(process.argv.slice(2));
