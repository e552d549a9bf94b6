import { CommanderError } from 'commander';
import { HoldfastError } from '../budget/errors.js';
import { ToldEnd } from './cli-errors.js';
import { exitCodeOf, exitCodes } from './exit-codes.js';
import { printable } from './printable.js';
import { createProgram } from './program.js';

/** Runs one command, says on standard error what is wrong, and returns the exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    const code = exitCodeOf(error);
    if (code === exitCodes.done || error instanceof ToldEnd) return code;
    const asJson = args.includes('--json');
    process.stderr.write(asJson ? `${JSON.stringify({ error: asData(error) })}\n` : asText(error));
    return code;
  }
}

function asText(error: unknown): string {
  if (error instanceof CommanderError) {
    const isHelp = error.code === 'commander.help'; // commander has printed it
    return isHelp ? '' : `${error.message}\nSee --help.\n`;
  }
  if (error instanceof HoldfastError)
    return `error: ${error.message.split('\n').map(printable).join('\n')}\n`;
  return `${error instanceof Error ? error.stack : String(error)}\n`;
}

function asData(error: unknown): object {
  if (error instanceof CommanderError) {
    return { kind: 'usage', message: error.message.replace(/^error: /, '') };
  }
  if (error instanceof HoldfastError) return { ...error, message: error.message };
  return { kind: 'fault', message: error instanceof Error ? error.message : String(error) };
}
