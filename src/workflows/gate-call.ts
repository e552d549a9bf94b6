import type { Fault } from '../budget/errors.js';
import type { GovernedTool } from '../contract/governed-tool.js';
import type { CallEnd } from './call-end.js';
import type { CallIdentity } from './schedule.js';

/** A call on its way through the gate. */
export type GateCall = {
  readonly tool: GovernedTool;
  readonly step?: string | undefined;
  /** Its number, where it got one before it came to the gate: it had to wait for a person. */
  readonly call?: number | undefined;
  readonly identity: CallIdentity;
  /** True for a plain activity call: its failures keep the user's own types. */
  readonly adopted: boolean;
  /** What is wrong with a plain activity's arguments: nothing is scheduled. */
  readonly fault?: Fault | undefined;
  /** Gets the end before the caller gets its value or failure. */
  readonly onEnd?: (end: CallEnd) => void;
};
