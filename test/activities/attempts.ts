import {
  ApplicationFailure,
  defaultFailureConverter,
  defaultPayloadConverter,
} from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import type { DownstreamGuard } from '../../src/activities/downstream-guard.js';
import type { ToolImplementation } from '../../src/activities/implement-tool.js';
import { createActivityInterceptors } from '../../src/activities/interceptor.js';
import {
  type CallHeader,
  type Envelope,
  type FailureDetail,
  headerNames,
  openHeader,
} from '../../src/contract/call-header.js';
import { type Ledger, openSqlite } from '../../src/ledger/index.js';
import { openGuard } from '../support/guard-rig.js';

/** What the gate would tell the attempts of a read with two retries. */
export const readHeader: CallHeader = openHeader({
  v: 1,
  downstream: 'orders',
  effect: 'read',
  mode: 'on',
  key: 'k'.repeat(64),
  fingerprint: 'f'.repeat(64),
  share: 2,
  timeLeftMs: 60_000,
  backoff: { baseMs: 200, capMs: 3_000, jitter: 'full' },
  hintCapMs: 60_000,
});

/** What a test says of the attempt that it makes. */
export type AttemptOptions = {
  /** Differs from {@link readHeader} in these fields; null for an activity without the gate's header. */
  readonly header?: Partial<CallHeader> | null;
  /** The worker's ledger; null for none. @default one of the attempt's own, for a write */
  readonly ledger?: Ledger | null;
  /** What the worker knows of the tool, whose name is the activity's type. */
  readonly implementation?: ToolImplementation;
  /** What the worker knows of its downstreams. @default one that has seen nothing and limits nothing */
  readonly guard?: DownstreamGuard;
  readonly args?: readonly unknown[];
  readonly info?: ConstructorParameters<typeof MockActivityEnvironment>[0];
};

/** How an attempt ended. */
export type AttemptEnd =
  | { readonly kind: 'answered'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: unknown };

/** An attempt that is running. */
export type RunningAttempt = {
  readonly environment: MockActivityEnvironment;
  readonly ended: Promise<AttemptEnd>;
  readonly heartbeats: readonly unknown[];
};

/** Starts one attempt of an activity behind the worker's half of the gate. */
export function startAttempt(
  work: (...args: unknown[]) => unknown,
  {
    header = {},
    info = {},
    ledger,
    implementation,
    guard = openGuard().guard,
    args = [],
  }: AttemptOptions = {},
): RunningAttempt {
  const own = createActivityInterceptors(guard);
  own.holdfast.ledger = ledger ?? undefined;
  const { activityType } = info;
  if (implementation !== undefined && activityType !== undefined) {
    own.holdfast.implementations.set(activityType, implementation);
  }
  const call = defaultPayloadConverter.toPayload({ ...readHeader, ...header });
  const headers = header === null ? {} : { [headerNames.call]: call };
  const environment = new MockActivityEnvironment(
    { startToCloseTimeoutMs: 10_000, ...info },
    {
      logger: new DefaultLogger('ERROR', () => {}),
      interceptors: [
        () => ({ inbound: { execute: (input, next) => next({ ...input, headers }) } }),
        own,
      ],
    },
  );
  const heartbeats: unknown[] = [];
  environment.on('heartbeat', (details) => heartbeats.push(details));
  const run = async (): Promise<unknown> => {
    if (ledger === undefined && (header?.effect ?? 'read') !== 'read') {
      own.holdfast.ledger = await openSqlite({ path: ':memory:' });
    }
    return environment.run(async (...given: unknown[]) => work(...given), ...args);
  };
  const ended = run().then(
    (value): AttemptEnd => ({ kind: 'answered', value }),
    (error: unknown): AttemptEnd => ({ kind: 'failed', error }),
  );
  return { environment, ended, heartbeats };
}

/** Makes one attempt and returns its end and its heartbeats. */
export async function makeAttempt(
  work: (...args: unknown[]) => unknown,
  options?: AttemptOptions,
): Promise<{ readonly end: AttemptEnd; readonly heartbeats: readonly unknown[] }> {
  const attempt = startAttempt(work, options);
  return { end: await attempt.ended, heartbeats: attempt.heartbeats };
}

/** Makes an attempt that has to fail; returns its failure as the workflow gets it, over the wire. */
export async function failedAttempt(
  work: (...args: unknown[]) => unknown,
  options?: AttemptOptions,
): Promise<{ readonly failure: ApplicationFailure; readonly detail: FailureDetail }> {
  const { end } = await makeAttempt(work, options);
  if (end.kind !== 'failed') throw new Error('the attempt was answered');
  return readFailure(end.error);
}

/** Takes a failure over the wire and reads what it says of its attempt. */
export function readFailure(error: unknown): {
  readonly failure: ApplicationFailure;
  readonly detail: FailureDetail;
} {
  const wire = defaultFailureConverter.errorToFailure(error, defaultPayloadConverter);
  const failure = defaultFailureConverter.failureToError(wire, defaultPayloadConverter);
  if (!(failure instanceof ApplicationFailure)) throw failure;
  const { nextRetryDelay } = error as ApplicationFailure; // it was one before it was encoded
  Object.assign(failure, { nextRetryDelay }); // the converter doesn't read it back
  return { failure, detail: failure.details?.at(-1) as FailureDetail }; // the interceptor's own shape
}

/** Makes an attempt that has to be answered; returns its envelope. */
export async function answeredAttempt(
  work: (...args: unknown[]) => unknown,
  options?: AttemptOptions,
): Promise<Envelope> {
  const { end } = await makeAttempt(work, options);
  if (end.kind !== 'answered') throw end.error;
  return end.value as Envelope; // what the interceptor wraps a plain value into
}

/** Returns the error of an HTTP client for a status. */
export function statusError(status: number, more: object = {}): Error {
  return Object.assign(new Error(`scripted ${status}`), { status, ...more });
}
