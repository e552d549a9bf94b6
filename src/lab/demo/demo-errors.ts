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

/** A real model was asked and answered no call. */
export class ModelUselessError extends HoldfastError {
  readonly kind = 'model-useless';
  constructor(
    readonly baseUrl: string,
    readonly reason: string,
  ) {
    super(
      `The model at ${baseUrl} answered no call (${reason}); check OPENAI_BASE_URL, OPENAI_API_KEY ` +
        'and the name after --model, or leave --model out to use the lab model.',
    );
  }
}
