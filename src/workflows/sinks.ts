import type { Sinks } from '@temporalio/workflow';
import type { RunState } from '../contract/run-state.js';

/** What a governed run tells its worker; used by replay tests to compare the state at the end. */
export interface HoldfastSinks extends Sinks {
  readonly holdfast: {
    /** The run has ended (or continues as new) in this state. */
    ended(state: RunState | null): void;
  };
}
