import {
  type BreakerEnd,
  type WorkerAdmission,
  WorkerBreaker,
  type WorkerBreakerOptions,
} from '../../src/budget/index.js';
import { policyDefaults } from '../../src/contract/policy.js';

/** What a worker breaker is given where nobody says otherwise. */
export const defaults: WorkerBreakerOptions = policyDefaults.workerBreaker;

/** A worker's breaker with its options and a clock that the test sets: what a caller of it would write. */
export class WorkerBreakerRig {
  readonly breaker = new WorkerBreaker();
  nowMs = 1_000_000;

  constructor(public options: WorkerBreakerOptions = defaults) {}

  /** Asks for one call, which stays in flight until `end`. */
  admit(): WorkerAdmission {
    return this.breaker.admit(this.options, this.nowMs);
  }

  end(admission: WorkerAdmission, end: BreakerEnd['end']): void {
    if (admission.kind === 'rejected') return;
    const { generation } = admission;
    this.breaker.record(this.options, { generation, end, nowMs: this.nowMs });
  }

  /** Asks for one call and ends it at once. */
  call(end: BreakerEnd['end']): void {
    this.end(this.admit(), end);
  }

  /** Runs calls one after another: F fails, E too, S succeeds, X ends neutral. */
  script(ends: string, eachMs = 1): WorkerBreaker['kind'] {
    for (const letter of ends) {
      this.nowMs += eachMs;
      this.call(letter === 'S' ? 'success' : letter === 'X' ? 'neutral' : 'failure');
    }
    return this.breaker.kind;
  }

  /** Fails calls until the breaker is open. */
  trip(): void {
    while (this.breaker.kind === 'closed') this.call('failure');
  }

  /** Trips the breaker and brings it to where the next call is the probe. */
  coolDown(): void {
    this.trip();
    for (let rejected = 0; rejected < this.options.halfOpenAfterCalls; rejected++) this.admit();
    this.nowMs += this.options.openForMs;
  }
}

/** Tells whether a call is the one that decides about an open breaker. */
export function isProbe(admission: WorkerAdmission): boolean {
  return admission.kind === 'admitted' && admission.probe;
}
