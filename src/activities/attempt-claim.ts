import { randomUUID } from 'node:crypto';
import {
  type CallHeader,
  replayEnvelope,
  type SettlementOrder,
  type Sums,
} from '../contract/call-header.js';
import type { Hands, Progress } from './attempt-hands.js';
import { logVerdict } from './attempt-log.js';
import { AttemptDeadline } from './deadline.js';
import {
  type ClaimedEffect,
  type ClaimedHeader,
  claimEffect,
  type EffectAttempt,
  type Reconciled,
} from './effect-claim.js';
import { settledAnswer } from './implement-tool.js';
import { noLedger } from './ledger-end-error.js';
import { WaitError } from './wait-error.js';

const CLAIM_AGAIN_MS = 1_000;

/** A write that asks for its claim. */
export type ClaimedCall = {
  readonly header: ClaimedHeader;
  readonly input: unknown;
  /** What a person says that an unknown effect has returned. */
  readonly result: unknown;
};

/** Takes the claim; returns an envelope where the effect has had its end already. */
export async function claim(hands: Hands, call: ClaimedCall): Promise<unknown> {
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
    onVerdict: (verdict) => {
      const { tool, measure } = run;
      const { downstream } = header;
      measure('holdfast_ledger_claims_total', { tool, downstream, verdict });
    },
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
