import { HoldfastError } from '../budget/errors.js';
import type { LabProgram } from './server-programs.js';

/** One place that was asked for a program: what came of it. */
export type Attempted = {
  readonly place: string;
  readonly reason: string;
};

/** No place yields the program: says which were tried, and what to try next. */
export class ServerProgramMissingError extends HoldfastError {
  readonly kind = 'server-program-missing';
  override readonly name = 'ServerProgramMissingError';
  readonly program: string;
  readonly variable: string;
  constructor(
    { title, variable, needs }: Pick<LabProgram, 'title' | 'variable' | 'needs'>,
    readonly attempted: readonly Attempted[],
  ) {
    const tried = attempted.map(({ place, reason }) => `${place}: ${reason}`).join('; ');
    super(
      `${title} could not be found or fetched (${tried}); put its path into ${variable}, ` +
        `or run again where ${needs} can be reached.`,
    );
    this.program = title;
    this.variable = variable;
  }
}

/** The port that was asked for is taken by another process. */
export class PortInUseError extends HoldfastError {
  readonly kind = 'port-in-use';
  override readonly name = 'PortInUseError';
  constructor(
    readonly port: number,
    readonly purpose: string,
  ) {
    super(
      `Port ${port} for ${purpose} is in use; free it, choose another one, or leave it out and a free one is taken.`,
    );
  }
}

/** The Temporal server's program didn't come to serve: carries its last lines of output. */
export class ServerStartError extends HoldfastError {
  readonly kind = 'server-start';
  override readonly name = 'ServerStartError';
  constructor(
    readonly program: string,
    readonly reason: string,
    readonly output: string,
    options: { readonly cause?: unknown } = {},
  ) {
    const said = output === '' ? '' : ` It said: ${output}`;
    super(
      `The Temporal server ${program} did not start: ${reason}. ` +
        `Run it by hand with "server start-dev" to see why, or name another one in TEMPORAL_CLI_PATH.${said}`,
      options,
    );
  }
}
