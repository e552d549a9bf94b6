import { HoldfastError } from '../../budget/errors.js';
import type { Severity } from '../../history/audit/finding.js';

/** An audit found what it was told to fail on. */
export class FindingsError extends HoldfastError {
  readonly kind = 'checks-failed';
  constructor(
    readonly faults: number,
    readonly failOn: Severity,
  ) {
    super(
      `${faults} ${faults === 1 ? 'finding is' : 'findings are'} ${failOn} or worse (--fail-on).`,
    );
  }
}
