import { HoldfastError } from '../../budget/errors.js';

/** The upstream could not take its port. `code` is the system's, such as `EADDRINUSE`. */
export class UpstreamStartError extends HoldfastError {
  readonly kind = 'upstream-start';
  override readonly name = 'UpstreamStartError';

  constructor(
    readonly port: number,
    readonly code: string,
    cause: unknown,
  ) {
    super(`The lab upstream can't listen on 127.0.0.1:${port}: ${reasonOf(code)}`, { cause });
  }
}

function reasonOf(code: string): string {
  if (code === 'EADDRINUSE') {
    return 'the port is in use. Stop what listens there, or take another port (0 takes a free one).';
  }
  if (code === 'EACCES') return 'this user may not take the port. Choose one above 1023.';
  return `the system says ${code}. Try another port (0 takes a free one).`;
}
