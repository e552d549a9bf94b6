import type { Fault, InvalidRequestError } from '../budget/errors.js';
import type { StartHeader } from '../contract/call-header.js';
import type { DeliveredPolicy } from '../contract/delivered-policy.js';
import type { AnyFallback } from '../contract/fallback.js';
import type { GovernedTool } from '../contract/governed-tool.js';
import type { WaitingNotice } from '../contract/messages.js';
import type { CallPolicy, DownstreamPolicy, PolicyInput, RunPolicy } from '../contract/policy.js';
import type { RunState } from '../contract/run-state.js';
import type { Slice, Spent } from '../contract/spent.js';
import type { Recorder } from '../telemetry/recorder.js';
import type { OpenCall } from './call-end.js';
import type { RunIndex } from './run-index.js';
import { noPeople, type People } from './waitlist.js';

/** The figures that hold for one call. */
export type CallSettings = { readonly call: CallPolicy; readonly downstream: DownstreamPolicy };

/** A tool with what stands in for it, which the gate itself has no use for. */
export type FeaturedTool = GovernedTool & { readonly fallback?: AnyFallback | undefined };

/**
 * What a run's gate needs beside its state: policy and tools come with the code, so they are neither
 * recorded nor carried.
 */
export type RunContext = {
  /** Calls that the details show as running, by their number. */
  readonly open: Map<number, OpenCall>;
  policy: PolicyInput | undefined;
  /** The policy that stands before those that come with the code. */
  delivered: DeliveredPolicy | undefined;
  /** Lists the names in a policy that no tool of the run has, where the run knows all its tools. */
  policyNameFaults: ((policy: PolicyInput) => readonly Fault[]) | undefined;
  /** The policy for plain activity calls, where a policy module gave one. */
  adoption: PolicyInput | undefined;
  /** What is wrong with that policy; it fails the run in its first task. */
  invalid: InvalidRequestError | undefined;
  /** Whether plain activity calls of this run are governed; decided once, when the run starts. */
  adopted: boolean;
  readonly tools: Map<string, FeaturedTool>;
  /** Settings already resolved, by tool: each call asks for them many times. Emptied with a new policy. */
  readonly settings: Map<string, CallSettings & { readonly of: string }>;
  /** What holds for the run as a whole, already resolved. Emptied with a new policy. */
  runSettings: RunPolicy | undefined;
  /** Contracts of plain activities, by their type. */
  readonly adoptedTools: Map<string, GovernedTool>;
  state: RunState | undefined;
  tenant: string | undefined;
  /** Whether the run's id outlasts a reset of its parent; undefined where no parent has said so. */
  idIsStable: boolean | undefined;
  /** True where what the run sends is spread evenly over time, within the limits of its downstreams. */
  isPaced: boolean;
  /** What the run may use of its parent's budgets, where it is a child with a slice. */
  slice: Slice | undefined;
  /** What earlier attempts of a child with a slice have used of it. */
  spentBefore: Spent | undefined;
  /** What came with the start; a run that continues without a state hands it on. */
  start: StartHeader | undefined;
  /** What children have told that couldn't tell it in their end, by their ids; undefined until one has a slice. */
  toldSpent: Map<string, Spent> | undefined;
  /** What the run tells to whoever lists runs; undefined where it began without. */
  index: RunIndex | undefined;
  /** Governed calls that have not ended. */
  inFlight: number;
  /** What waits for people. */
  readonly people: People;
  /** Waits for which the run's deadline stands still. */
  stopsClock: number;
  /** The same of the deadline that undoing has. */
  stopsUndoClock: number;
  /** Which changes this run goes with, by their ids: a run keeps to what it began with. */
  readonly patches: Map<string, boolean>;
  /** Questions that this run has asked: their ids are made of it. */
  questions: number;
  /** What measures; made on first use. */
  recorder: Recorder | undefined;
  /** Tells somebody that something waits, where the run was given a tool for that. */
  notify: ((waiting: WaitingNotice['waiting']) => Promise<void>) | undefined;
};

// One per run: the SDK gives each run its own globals. Interceptors and library meet here even when
// they are bundled twice.
const KEY = Symbol.for('holdfast.state');

type Holder = { [KEY]?: RunContext };

/** Returns what governs this run. */
export function runContext(): RunContext {
  const holder = globalThis as Holder; // the one place that keeps it
  holder[KEY] ??= {
    open: new Map(),
    policy: undefined,
    delivered: undefined,
    policyNameFaults: undefined,
    adoption: undefined,
    invalid: undefined,
    adopted: false,
    tools: new Map(),
    settings: new Map(),
    runSettings: undefined,
    adoptedTools: new Map(),
    state: undefined,
    tenant: undefined,
    idIsStable: undefined,
    isPaced: false,
    slice: undefined,
    spentBefore: undefined,
    start: undefined,
    toldSpent: undefined,
    index: undefined,
    inFlight: 0,
    people: noPeople(),
    stopsClock: 0,
    stopsUndoClock: 0,
    patches: new Map(),
    questions: 0,
    recorder: undefined,
    notify: undefined,
  };
  return holder[KEY];
}
