import {
  type ActivateInput,
  type ActivityInput,
  allHandlersFinished,
  type ContinueAsNewInput,
  condition,
  defaultPayloadConverter,
  defineQuery,
  type Headers,
  type Next,
  patched,
  proxySinks,
  setHandler,
  type WorkflowExecuteInput,
  type WorkflowInboundCallsInterceptor,
  type WorkflowInterceptors,
  type WorkflowInternalsInterceptor,
  type WorkflowOutboundCallsInterceptor,
  workflowInfo,
} from '@temporalio/workflow';
import { InvalidRequestError } from '../budget/errors.js';
import { isBuiltIn } from '../contract/built-in-activities.js';
import { type ChildHeader, headerNames, type StartHeader } from '../contract/call-header.js';
import { type DeliveredPolicy, deliveredPolicyFaults } from '../contract/delivered-policy.js';
import { type Feature, queries } from '../contract/messages.js';
import type { RunReport, RunState } from '../contract/run-state.js';
import type { Slice, Spent } from '../contract/spent.js';
import { adoptedCall } from './adoption.js';
import { stateOf } from './call-plan.js';
import { callRequest } from './call-request.js';
import { spentIn, tellSpent } from './child-end.js';
import { noteChildNames } from './child-starts.js';
import { pacing, startChildWorkflowExecution, withChildHeader } from './child-workflows.js';
import { showDetails } from './details.js';
import { featuresOf } from './features.js';
import { govern } from './gate.js';
import type { GateCall } from './gate-call.js';
import { invalidRequestFailure } from './invalid-request.js';
import { hearPeople } from './people-messages.js';
import { type RunContext, runContext } from './run-context.js';
import { beginIndex, showEnd } from './run-index.js';
import { measureRun } from './run-metrics.js';
import { reportOf } from './run-state.js';
import { hearPolicy } from './set-policy.js';
import type { HoldfastSinks } from './sinks.js';
import { chargeRunning, wholeOf } from './slices.js';
import { approvedInput } from './ungoverned-call.js';

/** The worker looks for this in a prepared bundle: one without it governs nothing. */
export const GATE_MARK = 'holdfast-gate-v1';

noteChildNames();

const stateQuery = defineQuery<RunState | null>(queries.state);
const reportQuery = defineQuery<RunReport | null>(queries.report);
const featuresQuery = defineQuery<readonly Feature[]>(queries.features);

/** The workflow interceptors that the plugin puts into the bundle. */
export function interceptors(): WorkflowInterceptors {
  return {
    inbound: [{ execute }],
    outbound: [{ scheduleActivity, startChildWorkflowExecution, continueAsNew }],
    internals: [{ activate }],
  };
}

function execute(
  input: WorkflowExecuteInput,
  next: Next<WorkflowInboundCallsInterceptor, 'execute'>,
): Promise<unknown> {
  const run = runContext();
  const start = readHeader<StartHeader>(input.headers, headerNames.start);
  const carried = readHeader<RunState>(input.headers, headerNames.state);
  const child = readHeader<ChildHeader>(input.headers, headerNames.child);
  if (carried !== undefined) run.state = { ...carried, run: carried.run + 1 };
  run.idIsStable = child?.idIsStable;
  run.isPaced = child?.isPaced === true;
  run.slice = child?.slice;
  run.spentBefore = spentBefore(run.slice);
  run.tenant = carried?.tenant ?? start?.tenant;
  run.start = start;
  run.delivered = carried === undefined ? ofClient(start) : carried.policy;
  // Decided once: a run that began before holdfast came goes on as it began.
  if (run.adoption !== undefined) {
    run.adopted = start !== undefined || carried !== undefined || patched('holdfast-1');
  }
  run.index = beginIndex();
  run.invalid ??= policyFault(run);
  if (run.invalid !== undefined)
    return showEnd(run, Promise.reject(invalidRequestFailure(run.invalid)));
  setHandler(stateQuery, () => run.state ?? null);
  setHandler(reportQuery, () => (run.state === undefined ? null : reportOf(run.state)));
  setHandler(featuresQuery, () => featuresOf(run), {
    description:
      'Which tools answer at present, which are stood in for, and which are not to be had',
  });
  hearPeople(run);
  hearPolicy(run);
  const shown = showEnd(run, next(input));
  const ended = run.slice === undefined ? shown : tellSpent(run, shown);
  const isTold = workflowInfo().unsafe.isReplaying;
  const end = (ending: Parameters<typeof measureRun>[1]): void => {
    measureRun(run, ending);
    if (isTold) reportEnd();
  };
  // Beside the promise, not in its chain: the run's own timing stays as it is.
  ended.then(
    () => end('completed'),
    (error: unknown) => end({ error }),
  );
  return ended;
}

/** The UI asks for Current Details by a query of the SDK's own, which inbound interceptors don't see. */
function activate(
  input: ActivateInput,
  next: Next<WorkflowInternalsInterceptor, 'activate'>,
): void {
  const { state } = runContext();
  const isAsked = input.activation.jobs?.some((job) => job.queryWorkflow != null) === true;
  if (isAsked && state !== undefined) showDetails(state);
  next(input);
}

function reportEnd(): void {
  proxySinks<HoldfastSinks>().holdfast.ended(runContext().state ?? null);
}

function scheduleActivity(
  input: ActivityInput,
  next: Next<WorkflowOutboundCallsInterceptor, 'scheduleActivity'>,
): Promise<unknown> {
  const call = callRequest(input.options) ?? plainCall(input);
  // No await for an ungoverned call: even one would break the replay of older histories.
  if (call === undefined) return next(input);
  const run = runContext();
  if (stateOf(run).mode === 'off') return next(approvedInput(run, call, input));
  return govern(call, input, next);
}

/** Calls of holdfast's own activities are no calls of the user's. */
function plainCall(input: ActivityInput): GateCall | undefined {
  return isBuiltIn(input.activityType) ? undefined : adoptedCall(input);
}

function continueAsNew(
  input: ContinueAsNewInput,
  next: Next<WorkflowOutboundCallsInterceptor, 'continueAsNew'>,
): Promise<never> {
  const { state, idIsStable, slice, isPaced, start } = runContext();
  const known = {
    ...(idIsStable === undefined ? {} : { idIsStable }),
    ...(slice === undefined ? {} : { slice }),
    ...pacing(isPaced),
  };
  const handed = { ...input, headers: withChildHeader(input.headers, known) };
  return state === undefined ? next(withStart(handed, start)) : carryState(handed, next);
}

/** A state says all that came with the start; without one the next run begins as this one did. */
function withStart(input: ContinueAsNewInput, start: StartHeader | undefined): ContinueAsNewInput {
  if (start === undefined) return input;
  const header = defaultPayloadConverter.toPayload(start);
  return { ...input, headers: { ...input.headers, [headerNames.start]: header } };
}

async function carryState(
  input: ContinueAsNewInput,
  next: Next<WorkflowOutboundCallsInterceptor, 'continueAsNew'>,
): Promise<never> {
  const run = runContext();
  await condition(() => run.inFlight === 0 && allHandlersFinished());
  run.state = chargeRunning(stateOf(run));
  const header = defaultPayloadConverter.toPayload(run.state);
  return next({ ...input, headers: { ...input.headers, [headerNames.state]: header } });
}

function ofClient(start: StartHeader | undefined): DeliveredPolicy | undefined {
  return start?.policy === undefined ? undefined : { kind: 'client', policy: start.policy };
}

/** What a client hands in is checked here too: not every client is holdfast's. */
function policyFault({ delivered }: RunContext): InvalidRequestError | undefined {
  const [first, ...others] = delivered === undefined ? [] : deliveredPolicyFaults(delivered.policy);
  return first === undefined ? undefined : new InvalidRequestError([first, ...others]);
}

/** A workflow retry of a child has the same slice: what the attempt before used of it stands in that one's failure. */
function spentBefore(slice: Slice | undefined): Spent | undefined {
  const { attempt, lastFailure } = workflowInfo();
  if (slice === undefined || attempt === 1) return undefined;
  return spentIn(lastFailure) ?? wholeOf(slice);
}

function readHeader<T>(headers: Headers, name: string): T | undefined {
  const payload = headers[name];
  if (payload === undefined) return undefined;
  return defaultPayloadConverter.fromPayload<T>(payload);
}
