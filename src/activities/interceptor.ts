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
import type { Ledger } from '../ledger/ledger.js';
import { runAttempt } from './attempt.js';
import { ledgerEndDetail } from './attempt-failure.js';
import type { DownstreamGuard } from './downstream-guard.js';
import { attemptFailure } from './failure.js';
import { shareHeartbeats } from './heartbeat.js';
import type { ToolImplementation } from './implement-tool.js';
import { LedgerEndError } from './ledger-end-error.js';
import { checkApproval, type WorkerHalf } from './worker-half.js';

/** The worker's half of the gate as a factory of interceptors; it carries what it knows. */
export type HoldfastInterceptors = ActivityInterceptorsFactory & { readonly holdfast: WorkerHalf };

/** An activity as it comes to the worker, and what the worker knows of it. */
type Arrived = {
  readonly ledger: Ledger | undefined;
  readonly guard: DownstreamGuard;
  readonly implementation: ToolImplementation | undefined;
  readonly input: ActivityExecuteInput;
  readonly next: Next<ActivityInboundCallsInterceptor, 'execute'>;
};

/** Makes the worker's half of the gate. */
export function createActivityInterceptors(guard: DownstreamGuard): HoldfastInterceptors {
  const half: WorkerHalf = { ledger: undefined, implementations: new Map(), guard };
  const factory = (context: Context): ActivityInterceptors => ({
    inbound: {
      execute: (input, next) => {
        const { ledger } = half;
        const implementation = half.implementations.get(context.info.activityType);
        return execute(context, { ledger, guard, implementation, input, next });
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
  const { ledger, guard, implementation, input, next } = arrived;
  const payload = input.headers[headerNames.call];
  if (payload === undefined) return unattended(arrived);
  const header = openHeader(defaultPayloadConverter.fromPayload<PackedHeader>(payload));
  const slot = shareHeartbeats(context, header.before);
  return runAttempt({ context, header, slot, ledger, guard, implementation }, input, next);
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
