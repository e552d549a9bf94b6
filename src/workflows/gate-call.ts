import type { Fault } from '../budget/errors.js';
import type { GovernedTool } from '../contract/governed-tool.js';
import type { BookedEnd } from './call-book.js';
import type { CallEnd } from './call-end.js';
import type { CallIdentity } from './schedule.js';

/** A call on its way through the gate. */
export type GateCall = {
  readonly tool: GovernedTool;
  readonly step?: string | undefined;
  /** Its number, where it got one before it came to the gate: it had to wait for a person. */
  readonly call?: number | undefined;
  /** Number of the call that this one undoes: it costs the budget of undoing. */
  readonly undoes?: number | undefined;
  readonly identity: CallIdentity;
  /** True for a plain activity call: its failures keep the user's own types. */
  readonly adopted: boolean;
  /** What is wrong with a plain activity's arguments: nothing is scheduled. */
  readonly fault?: Fault | undefined;
  /** True where the result is kept in the conversation store and only its hash comes back. */
  readonly byReference?: boolean | undefined;
  /** Lists what keeps a value from being the tool's answer, where a person brings one. */
  readonly resultFaults?: ((value: unknown) => readonly Fault[]) | undefined;
  /** Gets the end before the caller gets its value or failure. */
  readonly onEnd?: (end: CallEnd) => void;
  /** Gets the end of a call that was cancelled, or that a fault of the gate ended. */
  readonly onCut?: ((end: BookedEnd) => void) | undefined;
};
