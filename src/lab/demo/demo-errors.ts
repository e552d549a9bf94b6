import { HoldfastError } from '../../budget/errors.js';

/** The command line is wrong: says which option, and what it takes. */
export class UsageError extends HoldfastError {
  readonly kind = 'usage';
}

/** A program of the demo ended or stayed silent before it was ready. */
export class ProgramStartError extends HoldfastError {
  readonly kind = 'program-start';
  constructor(
    readonly program: string,
    readonly reason: string,
    readonly output: string,
  ) {
    const said = output === '' ? '' : ` It said: ${output}`;
    super(`${program} did not start: ${reason}; run it again, or by hand to see why.${said}`);
  }
}

/** A signal ended the demo. */
export class InterruptedError extends HoldfastError {
  readonly kind = 'interrupted';
  constructor(readonly signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') {
    super(`Stopped by ${signal}.`);
  }
}
