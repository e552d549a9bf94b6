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
import { type ChildHeader, headerNames, type StartHeader } from '../contract/call-header.js';
import { type Feature, queries } from '../contract/messages.js';
import type { RunReport, RunState } from '../contract/run-state.js';
import { adoptedCall } from './adoption.js';
import { stateOf } from './call-plan.js';
import { callRequest } from './call-request.js';
import { noteChildNames } from './child-starts.js';
import { startChildWorkflowExecution, withChildHeader } from './child-workflows.js';
import { showDetails } from './details.js';
import { featuresOf } from './features.js';
import { govern } from './gate.js';
import { invalidRequestFailure } from './invalid-request.js';
import { hearPeople } from './people-messages.js';
import { runContext } from './run-context.js';
import { reportOf } from './run-state.js';
import type { HoldfastSinks } from './sinks.js';
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
  if (carried !== undefined) run.state = { ...carried, run: carried.run + 1 };
  const child = readHeader<ChildHeader>(input.headers, headerNames.child);
  run.idIsStable = child?.idIsStable;
  run.isPaced = child?.isPaced === true;
  run.tenant = carried?.tenant ?? start?.tenant;
  // Decided once: a run that began before holdfast came goes on as it began.
  if (run.adoption !== undefined) {
    run.adopted = start !== undefined || carried !== undefined || patched('holdfast-1');
  }
  if (run.invalid !== undefined) return Promise.reject(invalidRequestFailure(run.invalid));
  setHandler(stateQuery, () => run.state ?? null);
  setHandler(reportQuery, () => (run.state === undefined ? null : reportOf(run.state)));
  setHandler(featuresQuery, () => featuresOf(run), {
    description:
      'Which tools answer at present, which are stood in for, and which are not to be had',
  });
  hearPeople(run);
  const ended = next(input);
  // Beside the promise, not in its chain: the run's own timing stays as it is.
  if (workflowInfo().unsafe.isReplaying) ended.then(reportEnd, reportEnd);
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
  const call = callRequest(input.options) ?? adoptedCall(input);
  // No await for an ungoverned call: even one would break the replay of older histories.
  if (call === undefined) return next(input);
  const run = runContext();
  if (stateOf(run).mode === 'off') return next(approvedInput(run, call, input));
  return govern(call, input, next);
}

function continueAsNew(
  input: ContinueAsNewInput,
  next: Next<WorkflowOutboundCallsInterceptor, 'continueAsNew'>,
): Promise<never> {
  const run = runContext();
  const handed = { ...input, headers: withChildHeader(input.headers, run) };
  return run.state === undefined ? next(handed) : carryState(handed, next);
}

async function carryState(
  input: ContinueAsNewInput,
  next: Next<WorkflowOutboundCallsInterceptor, 'continueAsNew'>,
): Promise<never> {
  const run = runContext();
  await condition(() => run.inFlight === 0 && allHandlersFinished());
  const header = defaultPayloadConverter.toPayload(run.state);
  return next({ ...input, headers: { ...input.headers, [headerNames.state]: header } });
}

function readHeader<T>(headers: Headers, name: string): T | undefined {
  const payload = headers[name];
  if (payload === undefined) return undefined;
  return defaultPayloadConverter.fromPayload<T>(payload);
}
