import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { CompleteAsyncError, type Context } from '@temporalio/activity';
import type {
  ActivityExecuteInput,
  ActivityInboundCallsInterceptor,
  Next,
} from '@temporalio/worker';
import {
  type CallHeader,
  envelopeOf,
  replayEnvelope,
  type SettlementOrder,
  type Sums,
} from '../contract/call-header.js';
import { isJsonAtTop, isPlainObject } from '../contract/json.js';
import { sizeFault } from '../contract/payload.js';
import type { Ledger } from '../ledger/ledger.js';
import { type Attempt, runInAttempt } from './attempt-context.js';
import { type AttemptInHand, failureEnd } from './attempt-failure.js';
import { logAdmission, logVerdict } from './attempt-log.js';
import { writeSignal } from './attempt-signal.js';
import { attemptTimeMs, taskTimeLeftMs } from './attempt-time.js';
import type { Usage } from './attempt-usage.js';
import { AttemptDeadline, type RunningDeadline, startDeadline } from './deadline.js';
import {
  type ClaimedEffect,
  type ClaimedHeader,
  claimEffect,
  type EffectAttempt,
  type Reconciled,
} from './effect-claim.js';
import type { EffectHold } from './effect-hold.js';
import type { HeartbeatSlot } from './heartbeat.js';
import { settledAnswer, type ToolImplementation } from './implement-tool.js';
import { noLedger } from './ledger-end-error.js';
import { persistently, unlessUnavailable } from './ledger-patience.js';
import { InvalidAnswerError } from './tool-answer.js';
import { WaitError } from './wait-error.js';
import { checkApproval, isClaimed } from './worker-half.js';

/** A governed attempt as the worker got it. */
export type GovernedAttempt = {
  readonly context: Context;
  readonly header: CallHeader;
  readonly slot: HeartbeatSlot;
  readonly ledger: Ledger | undefined;
  readonly implementation: ToolImplementation | undefined;
};

const CLAIM_AGAIN_MS = 1_000;

type Following = Next<ActivityInboundCallsInterceptor, 'execute'>;

/** How far an attempt has come. */
type Progress = {
  before: Sums;
  hold: EffectHold | undefined;
  /** The work has begun: something may have been sent. */
  began: boolean;
  /** The work has ended with an answer. */
  answered: boolean;
};

/**
 * Runs one attempt: under its deadline, and where it is a write, under its claim. Returns an envelope with what
 * the attempts did; throws the failure that tells the gate, and Temporal, how it ended.
 */
export async function runAttempt(
  run: GovernedAttempt,
  input: ActivityExecuteInput,
  next: Following,
): Promise<unknown> {
  const { context, header, slot } = run;
  const taskEndsAt = performance.now() + taskTimeLeftMs(run);
  const write = isClaimed(header) ? writeSignal(context.cancellationSignal) : undefined;
  const deadline = startDeadline(attemptTimeMs(run), write?.signal ?? context.cancellationSignal);
  const attempt: Attempt = {
    header,
    attempt: slot.sums.failed.length + 1,
    retriesLeft: Math.max(0, header.share - slot.sums.failed.length),
    signal: deadline.signal,
    timeLeftMs: deadline.timeLeftMs,
    addUsage: slot.addUsage,
    expectUsage: slot.expectUsage,
  };
  const progress: Progress = {
    before: slot.sums,
    hold: undefined,
    began: false,
    answered: false,
  };
  if (slot.sums.failed === '') logAdmission(run);
  if (!header.adopted) slot.startBeating();
  try {
    const onLost = (): void => write?.abort(new Error('Another attempt has taken over the claim.'));
    const hands: Hands = { run, deadline, progress, onLost };
    return await runInAttempt(attempt, () => work(hands, input, next));
  } catch (thrown) {
    if (thrown instanceof CompleteAsyncError) throw thrown; // its end comes by another way; its lease runs out
    const { hold, before, began, answered } = progress;
    const end = failureEnd(handOf(run, progress), {
      thrown,
      before,
      used: slot,
      timeLeftMs: Math.max(0, taskEndsAt - performance.now()),
    });
    if (began && !answered && end.ledger !== undefined) await hold?.fail(end.ledger);
    throw end.failure;
  } finally {
    progress.hold?.stopRenewing();
    slot.stopBeating();
    deadline.stop();
    write?.stop();
  }
}

type Hands = {
  readonly run: GovernedAttempt;
  readonly deadline: RunningDeadline;
  readonly progress: Progress;
  /** Hears that another attempt has taken over the claim. */
  readonly onLost: () => void;
};

async function work(hands: Hands, input: ActivityExecuteInput, next: Following): Promise<unknown> {
  const { run, progress } = hands;
  const { header, slot, implementation } = run;
  const { args, result } = takeSettledResult(header, input.args);
  checkApproval(implementation, { header, input: args[0] });
  if (isClaimed(header)) {
    const replay = await claim(hands, { header, input: args[0], result });
    if (replay !== undefined) {
      await noteUndone(hands);
      return replay;
    }
  }
  progress.began = true;
  const value = await settled(hands, () => next({ ...input, args: [...args] }));
  progress.answered = true;
  const { hold, before } = progress;
  const kept = hold === undefined ? withinSize(run, value) : await hold.succeed(value);
  await noteUndone(hands);
  return envelope(kept, before, slot.usage);
}

/** An effect that was taken back is neither answered again nor caused again under its key. */
async function noteUndone({ run, deadline }: Hands): Promise<void> {
  const { header, ledger, context } = run;
  const { undoes } = header;
  if (undoes === null || ledger === undefined || header.mode !== 'on') return;
  const write = (): Promise<void> => ledger.undo(undoes, context.info.activityType);
  await unlessUnavailable(() => persistently(write, deadline.timeLeftMs), true);
}

type ClaimedCall = {
  readonly header: ClaimedHeader;
  readonly input: unknown;
  /** What a person says that an unknown effect has returned. */
  readonly result: unknown;
};

/** Takes the claim; returns an envelope where the effect has had its end already. */
async function claim(hands: Hands, call: ClaimedCall): Promise<unknown> {
  const { run, deadline, progress, onLost } = hands;
  const { cancellationSignal } = run.context;
  cancellationSignal.throwIfAborted();
  const effect = await inTime(hands, claimEffect(effectAttempt(hands, call)));
  if (effect.kind === 'replayed') {
    const attempt = progress.before.failed.length + 1;
    logVerdict(run, { attempt, decision: 'replay', reason: 'ledger' });
    return replayEnvelope(effect.value, progress.before, effect.argumentsDiffer);
  }
  const cut = cancellationSignal.aborted ? cancellationSignal : deadline.signal;
  if (cut.aborted) await effect.hold.fail({ kind: 'released' });
  cut.throwIfAborted();
  progress.hold = effect.hold;
  if (effect.provenNotDone) progress.before = { ...progress.before, ambiguous: false };
  effect.hold.startRenewing(onLost);
  return undefined;
}

function effectAttempt({ run, deadline, progress }: Hands, call: ClaimedCall): EffectAttempt {
  const { ledger, implementation } = run;
  const { info } = run.context;
  const { header, input, result } = call;
  if (ledger === undefined) throw noLedger(info.activityType);
  const settlement = standingWord(header, progress.before);
  const reconcile = implementation?.reconcile;
  return {
    ledger,
    header,
    origin: {
      namespace: info.workflowNamespace ?? '',
      workflowId: info.workflowExecution?.workflowId ?? '',
      runId: info.workflowExecution?.runId ?? '',
      tool: info.activityType,
      downstream: header.downstream,
      tenant: header.tenant,
    },
    owner: randomUUID(),
    attemptTimeoutMs: info.startToCloseTimeoutMs,
    timeLeftMs: deadline.timeLeftMs,
    probe: reconcile === undefined ? undefined : () => probe(progress, () => reconcile(input)),
    mayRun: settlement !== null || progress.before.failed.length <= header.share,
    settlement: settlement === null ? undefined : { order: settlement, result },
    checkResult:
      implementation === undefined
        ? undefined
        : (value) => settledAnswer(implementation.tool, value),
  };
}

/**
 * Returns what a person says of the effect. A "no" is for the effect as it stood: once an attempt may have caused
 * it since, be it of this scheduling or an earlier one, nobody has said anything of that.
 */
function standingWord({ settlement }: CallHeader, { ambiguous }: Sums): SettlementOrder | null {
  return settlement?.done === false && ambiguous ? null : settlement;
}

/** Asks what became of an effect of which nobody knows, be it of another run: until it is said, it may have happened. */
function probe(progress: Progress, ask: () => Promise<Reconciled>): Promise<Reconciled> {
  progress.before = { ...progress.before, ambiguous: true };
  return ask();
}

/** Waits for the claim while the attempt has time; one that comes too late is given back, since nothing was sent. */
async function inTime(
  { deadline }: Hands,
  claiming: Promise<ClaimedEffect>,
): Promise<ClaimedEffect> {
  try {
    return await Promise.race([claiming, deadline.expired]);
  } catch (error) {
    if (!(error instanceof AttemptDeadline)) throw error;
    const late = claiming.then(async (effect) => {
      if (effect.kind === 'held') await effect.hold.fail({ kind: 'released' });
    });
    late.catch(() => {}); // the claim was never had
    throw new WaitError(CLAIM_AGAIN_MS, 'ledger');
  }
}

/** Waits for the work, or for its deadline: work that ignores its signal is left behind. */
async function settled(
  { run, deadline, progress }: Hands,
  begin: () => Promise<unknown>,
): Promise<unknown> {
  const { header } = run;
  // User code that was governed from outside may clean up after a cancellation, as without us.
  const isLeft = header.adopted || header.mode === 'observe';
  const end = isLeft ? deadline.expired : deadline.passed;
  const working = begin();
  working.catch(() => {}); // left behind, it has nobody to tell
  try {
    return await Promise.race([working, end]);
  } catch (error) {
    if (deadline.signal.aborted) progress.hold?.watchLate(working);
    throw error;
  }
}

/** Takes the result that a settlement put behind the arguments off again. */
function takeSettledResult(
  { settlement }: CallHeader,
  args: readonly unknown[],
): { readonly args: readonly unknown[]; readonly result: unknown } {
  if (settlement?.done !== true) return { args, result: undefined };
  const last = args.at(-1);
  if (!isPlainObject(last) || !('$holdfastResult' in last)) return { args, result: undefined };
  return { args: args.slice(0, -1), result: last.$holdfastResult };
}

function handOf(run: GovernedAttempt, { began }: Progress): AttemptInHand {
  const { context, header, slot, implementation } = run;
  const canProbe = implementation?.reconcile !== undefined;
  return { context, header, slot, holds: isClaimed(header), began, canProbe };
}

/** A result over the cap would be refused by Temporal's server, again and again. */
function withinSize({ context, header }: GovernedAttempt, value: unknown): unknown {
  if (header.mode === 'observe') return value;
  const fault = sizeFault(`${context.info.activityType}.result`, value, header.maxPayloadBytes);
  if (fault !== undefined) throw new InvalidAnswerError([fault]);
  return value;
}

/** A value that only another payload converter can carry goes bare; the gate then calls it blind. */
function envelope(value: unknown, sums: Sums, usage: Usage): unknown {
  if (value !== undefined && !isJsonAtTop(value)) return value;
  return envelopeOf(value, sums, usage);
}
