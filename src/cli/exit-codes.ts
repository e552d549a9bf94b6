import { CommanderError } from 'commander';
import { HoldfastError } from '../budget/errors.js';
import { ToldEnd } from './cli-errors.js';

/** What a command's exit code says. */
export const exitCodes = {
  done: 0,
  refused: 1,
  usage: 2,
  unreachable: 3,
  notWritten: 4,
  degraded: 5,
  fault: 70,
} as const;

/** The codes as --help shows them. */
export const exitCodesHelp = `
Exit codes:
  0   done
  1   nothing such was found, its state or its workflow doesn't allow it, a check found
      faults, or the task failed
  2   the command line, or a file that it names, is wrong
  3   the server, the ledger, or the workflow that has to be asked, can't be reached or used
  4   the workflow was told, and the ledger could not be written
  5   the task ended, but not with all of its own answers (holdfast run --strict)
  70  a fault of holdfast itself`;

/** Returns the exit code for what a command threw. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage; // --help and --version end with 0
  }
  if (error instanceof ToldEnd) return error.exitCode;
  if (!(error instanceof HoldfastError)) return exitCodes.fault;
  switch (error.kind) {
    case 'checks-failed':
    case 'not-found':
    case 'wrong-state':
    case 'settlement-refused':
      return exitCodes.refused;
    case 'usage':
    case 'ungoverned-bundle':
    case 'invalid-request':
      return exitCodes.usage;
    case 'ledger-missing':
    case 'ledger-unavailable':
    case 'ledger-unusable':
    case 'conversations-unavailable':
    case 'conversations-unusable':
    case 'fleet-store-unavailable':
    case 'fleet-store-unusable':
    case 'limiter-unavailable':
    case 'limiter-unusable':
    case 'workflow-unreachable':
    case 'server-unreachable':
    case 'server-program-missing':
    case 'server-start':
    case 'program-start':
    case 'telemetry':
      return exitCodes.unreachable;
    case 'not-written':
      return exitCodes.notWritten;
    default:
      return exitCodes.fault;
  }
}
