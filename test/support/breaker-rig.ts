import {
  type Admission,
  admitCall,
  type BreakerEnd,
  type BreakerOptions,
  type BreakerState,
  initialBreaker,
  recordEnd,
} from '../../src/budget/index.js';

/** A breaker with its options and a clock that the test sets: what a caller of it would write. */
export class BreakerRig {
  state: BreakerState = initialBreaker();
  nowMs = 1_700_000_000_000;

  constructor(readonly options: BreakerOptions) {}

  /** Asks for one call, which stays in flight until `end`. */
  admit(): Admission {
    const { state, admission } = admitCall(this.state, this.options, this.nowMs);
    this.state = state;
    return admission;
  }

  /** Ends one attempt of an admitted call; a rejected call has nothing to report. */
  end(admission: Admission, end: BreakerEnd['end']): void {
    if (admission.kind === 'rejected') return;
    const { generation } = admission;
    this.state = recordEnd(this.state, this.options, { generation, end, nowMs: this.nowMs });
  }

  /** Asks for one call and ends it at once; returns whether it was admitted. */
  call(end: BreakerEnd['end']): boolean {
    const admission = this.admit();
    this.end(admission, end);
    return admission.kind === 'admitted';
  }

  /** Runs calls one after another: F fails, E too, S succeeds, X ends neutral. */
  script(ends: string): BreakerState['kind'] {
    for (const letter of ends) {
      this.call(letter === 'S' ? 'success' : letter === 'X' ? 'neutral' : 'failure');
    }
    return this.state.kind;
  }

  /** Fails calls until the breaker is open. */
  trip(): void {
    while (this.state.kind === 'closed') this.call('failure');
  }

  /** Trips the breaker and has it reject calls until the next one is the probe. */
  coolDown(): void {
    this.trip();
    for (let rejected = 0; rejected < this.options.halfOpenAfterCalls; rejected++) this.admit();
  }

  get failuresInARow(): number {
    return this.state.kind === 'closed' ? this.state.failuresInARow : 0;
  }

  /** Goes through JSON, as a state does that crosses continue-as-new. */
  restore(): void {
    // What JSON gives back is what was written: the state is plain data.
    this.state = JSON.parse(JSON.stringify(this.state)) as BreakerState;
  }
}
