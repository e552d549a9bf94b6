import type { Context } from '@temporalio/activity';
import { defaultPayloadConverter } from '@temporalio/common';
import type {
  ActivityExecuteInput,
  ActivityInboundCallsInterceptor,
  ActivityInterceptors,
  ActivityInterceptorsFactory,
  Next,
} from '@temporalio/worker';
import { headerNames, noSums, openHeader, type PackedHeader } from '../contract/call-header.js';
import { type Recorder, recordNothing } from '../telemetry/recorder.js';
import { runAttempt } from './attempt.js';
import { ledgerEndDetail } from './attempt-failure.js';
import { toolName } from './attempt-metrics.js';
import { runReferring } from './by-reference.js';
import type { DownstreamGuard } from './downstream-guard.js';
import { attemptFailure } from './failure.js';
import { shareHeartbeats } from './heartbeat.js';
import type { ToolImplementation } from './implement-tool.js';
import { LedgerEndError } from './ledger-end-error.js';
import { checkApproval, type WorkerHalf } from './worker-half.js';

/** The worker's half of the gate as a factory of interceptors; it carries what it knows. */
export type HoldfastInterceptors = ActivityInterceptorsFactory & { readonly holdfast: WorkerHalf };

/** An activity as it comes to the worker, and what the worker knows of it. */
type Arrived = Readonly<Omit<WorkerHalf, 'implementations'>> & {
  readonly implementation: ToolImplementation | undefined;
  readonly input: ActivityExecuteInput;
  readonly next: Next<ActivityInboundCallsInterceptor, 'execute'>;
};

/** Makes the worker's half of the gate. */
export function createActivityInterceptors(
  guard: DownstreamGuard,
  measure: Recorder = recordNothing,
): HoldfastInterceptors {
  const half: WorkerHalf = {
    ledger: undefined,
    conversations: undefined,
    implementations: new Map(),
    guard,
    measure,
    annotate: undefined,
  };
  const factory = (context: Context): ActivityInterceptors => ({
    inbound: {
      execute: (input, next) => {
        const { implementations, ...known } = half;
        const implementation = implementations.get(context.info.activityType);
        return execute(context, { ...known, implementation, input, next });
      },
    },
  });
  return Object.assign(factory, { holdfast: half });
}

/** Finds the worker's half of the gate among interceptors. */
export function ownInterceptors(
  factories: readonly ActivityInterceptorsFactory[],
): HoldfastInterceptors | undefined {
  return factories.find((factory): factory is HoldfastInterceptors => 'holdfast' in factory);
}

function execute(context: Context, arrived: Arrived): Promise<unknown> {
  const { conversations, input, next, ...known } = arrived;
  const { activityType } = context.info;
  const payload = input.headers[headerNames.call];
  if (payload === undefined) {
    const unseen = { activityType, header: undefined, before: noSums, conversations };
    return runReferring(unseen, input, (opened) => unattended({ ...arrived, input: opened }));
  }
  const header = openHeader(defaultPayloadConverter.fromPayload<PackedHeader>(payload));
  const slot = shareHeartbeats(context, header.before);
  const attempt = { ...known, context, header, slot, tool: toolName(activityType, input) };
  const call = { activityType, header, before: slot.sums, conversations };
  return runReferring(call, input, (opened) => runAttempt(attempt, opened, next));
}

/** An activity that the gate never saw: only its own contract can stop it. */
async function unattended({ implementation, input, next }: Arrived): Promise<unknown> {
  try {
    checkApproval(implementation, { header: undefined, input: input.args[0] });
  } catch (thrown) {
    if (!(thrown instanceof LedgerEndError)) throw thrown;
    const detail = ledgerEndDetail(thrown.end, noSums);
    throw attemptFailure({ thrown, detail, delayMs: undefined, adopted: true });
  }
  return next(input);
}
