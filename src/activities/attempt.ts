import { performance } from 'node:perf_hooks';
import { CompleteAsyncError } from '@temporalio/activity';
import type {
  ActivityExecuteInput,
  ActivityInboundCallsInterceptor,
  Next,
} from '@temporalio/worker';
import type { AttemptEnd } from '../budget/attempt-ends.js';
import { type CallHeader, envelopeOf, type Sums } from '../contract/call-header.js';
import { isJsonAtTop, isPlainObject } from '../contract/json.js';
import { sizeFault } from '../contract/payload.js';
import { admitted, isLimited } from './attempt-admission.js';
import { claim } from './attempt-claim.js';
import { type Attempt, runInAttempt } from './attempt-context.js';
import { type AttemptInHand, failureEnd } from './attempt-failure.js';
import type { GovernedAttempt, Hands, Progress } from './attempt-hands.js';
import { logAdmission } from './attempt-log.js';
import { measureEnd } from './attempt-metrics.js';
import { writeSignal } from './attempt-signal.js';
import { attemptTimeMs, taskTimeLeftMs } from './attempt-time.js';
import type { Usage } from './attempt-usage.js';
import { startDeadline } from './deadline.js';
import { persistently, unlessUnavailable } from './ledger-patience.js';
import { InvalidAnswerError } from './tool-answer.js';
import { checkApproval, isClaimed } from './worker-half.js';

type Following = Next<ActivityInboundCallsInterceptor, 'execute'>;

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
    passage: undefined,
    began: false,
    answered: false,
  };
  const startedAt = performance.now();
  // What was answered is a success, whatever the ledger makes of it; what wasn't, and yet returns, came from there.
  const measured = (end: AttemptEnd): void =>
    measureEnd(run, {
      end: progress.answered ? 'success' : end,
      attempt: attempt.attempt,
      durationMs: progress.began ? performance.now() - startedAt : undefined,
    });
  if (slot.sums.failed === '') logAdmission(run);
  if (!header.adopted) slot.startBeating();
  try {
    const onLost = (): void => write?.abort(new Error('Another attempt has taken over the claim.'));
    const hands: Hands = { run, deadline, progress, onLost };
    const answer = await runInAttempt(attempt, () => work(hands, input, next));
    measured('replayed');
    return answer;
  } catch (thrown) {
    const { hold, passage, before, answered } = progress;
    if (thrown instanceof CompleteAsyncError) {
      passage?.handOver();
      throw thrown; // its end comes by another way; its lease runs out
    }
    const { tokens } = slot.usage;
    const timeLeftMs = Math.max(0, taskEndsAt - performance.now());
    const failed = { thrown, before, used: slot, timeLeftMs };
    const { failure, ledger, end, isUnsent } = await failureEnd(handOf(run, progress), failed);
    passage?.end({ end, tokens, isUnsent });
    measured(end);
    if (!answered && ledger !== undefined) await hold?.fail(ledger);
    throw failure;
  } finally {
    progress.hold?.stopRenewing();
    slot.stopBeating();
    deadline.stop();
    write?.stop();
  }
}

async function work(hands: Hands, input: ActivityExecuteInput, next: Following): Promise<unknown> {
  const { run, progress } = hands;
  const { header, slot, implementation } = run;
  const { args, result } = takeSettledResult(header, input.args);
  checkApproval(implementation, { header, input: args[0] });
  const { context, guard } = run;
  const passage = guard.enter({ context, header, attempt: progress.before.failed.length + 1 });
  progress.passage = passage;
  if (isClaimed(header)) {
    const replay = await claim(hands, { header, input: args[0], result });
    if (replay !== undefined) {
      passage.end({ end: 'replayed', tokens: 0, isUnsent: true });
      await noteUndone(hands);
      return replay;
    }
  }
  if (isLimited(header)) await admitted(hands, passage, args[0]);
  progress.began = true;
  passage.begin();
  const value = await settled(hands, () => next({ ...input, args: [...args] }));
  const { hold, before } = progress;
  if (hold === undefined) checkSize(run, value);
  progress.answered = true;
  passage.end({ end: 'success', tokens: slot.usage.tokens, isUnsent: false });
  const kept = hold === undefined ? value : await hold.succeed(value);
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

function handOf(run: GovernedAttempt, { began, passage }: Progress): AttemptInHand {
  const { context, header, slot, implementation, tool, measure } = run;
  const canProbe = implementation?.reconcile !== undefined;
  const holds = isClaimed(header);
  return { context, header, slot, tool, measure, holds, began, canProbe, passage };
}

/** A result over the cap would be refused by Temporal's server, again and again. */
function checkSize({ context, header }: GovernedAttempt, value: unknown): void {
  if (header.mode === 'observe') return;
  const fault = sizeFault(`${context.info.activityType}.result`, value, header.maxPayloadBytes);
  if (fault !== undefined) throw new InvalidAnswerError([fault]);
}

/** A value that only another payload converter can carry goes bare; the gate then calls it blind. */
function envelope(value: unknown, sums: Sums, usage: Usage): unknown {
  if (value !== undefined && !isJsonAtTop(value)) return value;
  return envelopeOf(value, sums, usage);
}
