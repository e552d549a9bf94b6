import type { Context } from '@temporalio/activity';
import type { CallHeader, Sums } from '../contract/call-header.js';
import type { Ledger } from '../ledger/ledger.js';
import type { Recorder } from '../telemetry/recorder.js';
import type { RunningDeadline } from './deadline.js';
import type { DownstreamGuard } from './downstream-guard.js';
import type { EffectHold } from './effect-hold.js';
import type { HeartbeatSlot } from './heartbeat.js';
import type { ToolImplementation } from './implement-tool.js';
import type { Passage } from './passage.js';
import type { Annotate } from './worker-half.js';

/** A governed attempt as the worker got it. */
export type GovernedAttempt = {
  readonly context: Context;
  readonly header: CallHeader;
  readonly slot: HeartbeatSlot;
  readonly ledger: Ledger | undefined;
  readonly implementation: ToolImplementation | undefined;
  readonly guard: DownstreamGuard;
  /** The name by which metrics, and the run, know the tool. */
  readonly tool: string;
  readonly measure: Recorder;
  /** Says more of the attempt on its span, where there is one. */
  readonly annotate: Annotate | undefined;
};

/** How far an attempt has come. */
export type Progress = {
  before: Sums;
  hold: EffectHold | undefined;
  passage: Passage | undefined;
  /** The work has begun: something may have been sent. */
  began: boolean;
  /** The work has ended with an answer. */
  answered: boolean;
};

/** An attempt that runs, and what runs with it. */
export type Hands = {
  readonly run: GovernedAttempt;
  readonly deadline: RunningDeadline;
  readonly progress: Progress;
  /** Hears that another attempt has taken over the claim. */
  readonly onLost: () => void;
};
