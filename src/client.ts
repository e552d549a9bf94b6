import {
  Client,
  type ClientOptions,
  type WorkflowClientInterceptor,
  type WorkflowStartInput,
} from '@temporalio/client';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { readSpent, unknownWorkflow } from './activities/spent-budget.js';
import { throwFaults } from './budget/errors.js';
import { headerNames, type StartHeader } from './contract/call-header.js';
import { deliveredPolicyFaults } from './contract/delivered-policy.js';
import { isPlainObject } from './contract/json.js';
import type { PolicyInput } from './contract/policy.js';
import type { Inherited, Spent } from './contract/spent.js';
import { loopNotes, taskNotes } from './contract/start-notes.js';
import { checkTask } from './contract/task-check.js';
import type { AnyTool } from './contract/tool.js';
import { type ShownOptions, told, withStartNotes } from './start-options.js';

/** What a client of holdfast knows. */
export type HoldfastClientOptions = {
  /** Tools of the tasks that it starts; with them a wrong task is refused before the start. */
  readonly tools?: readonly AnyTool[] | undefined;
  /**
   * Workflow types that are agent tasks. A start under the id of a task that runs joins that one, unless it says
   * `workflowIdConflictPolicy`. @default ['agentTask']
   */
  readonly taskTypes?: readonly string[] | undefined;
  /** Workflow types that are agent loops: they are joined, and continue budgets, as tasks do. @default ['agentLoop'] */
  readonly loopTypes?: readonly string[] | undefined;
  /** For whom the started runs work. @default the task's own */
  readonly tenant?: string | undefined;
  /** The policy of the started runs, in place of the one that comes with their code. */
  readonly policy?: PolicyInput | undefined;
  /**
   * Starts runs with holdfast's search attributes and memo, which they then keep up to date: so the UI's filter finds
   * them. A namespace without the attributes refuses such a start: `holdfast doctor --fix` registers them.
   * @default false
   */
  readonly searchAttributes?: boolean | undefined;
};

/** Reads what a workflow has spent; undefined where there is none. */
type ReadSpent = (workflowId: string) => Promise<Spent | undefined>;

type Start = { readonly workflowType: string; readonly args: readonly unknown[] };
type PluggedOptions = Omit<ClientOptions, 'plugins'>;

const defaultTaskTypes: readonly string[] = ['agentTask'];
const defaultLoopTypes: readonly string[] = ['agentLoop'];

/** A client may be given the plugin twice, by its connection too: its own interceptors are known by this. */
const own = new WeakMap<WorkflowClientInterceptor, HoldfastClientOptions>();

/** @throws InvalidRequestError for a policy with faults, or one that is too large for a header */
export function checkClientOptions(options: HoldfastClientOptions): HoldfastClientOptions {
  if (options.policy !== undefined) throwFaults(deliveredPolicyFaults(options.policy));
  return options;
}

/** Adds the interceptor to a client's options; applied twice, it adds it once. */
export function withClientInterceptor(
  client: PluggedOptions,
  options: HoldfastClientOptions,
): PluggedOptions {
  const present = client.interceptors?.workflow ?? [];
  if (Array.isArray(present) && present.some((one) => own.get(one) === options)) return client;
  const added = clientInterceptor(options, spentReader(client));
  own.set(added, options);
  const workflow = Array.isArray(present)
    ? [...present, added]
    : { calls: [...(present.calls ?? []), () => added] };
  return { ...client, interceptors: { ...client.interceptors, workflow } };
}

/**
 * Makes the client's interceptor. It puts the start header on every workflow, so that a run is governed
 * from its first event at no extra event, and refuses wrong tasks with InvalidRequestError.
 */
function clientInterceptor(
  options: HoldfastClientOptions,
  readSpentOf: ReadSpent,
): WorkflowClientInterceptor {
  const { tools, taskTypes = defaultTaskTypes, loopTypes = defaultLoopTypes } = options;
  const { tenant, policy, searchAttributes = false } = options;
  const isTask = ({ workflowType }: Start): boolean => taskTypes.includes(workflowType);
  const isOfAgent = (start: Start): boolean =>
    isTask(start) || loopTypes.includes(start.workflowType);
  const prepared = async (start: Start, headers: Headers): Promise<Headers> => {
    if (tools !== undefined && isTask(start)) checkTask(start.args[0], tools);
    const continues = isOfAgent(start) ? await inheritedBy(start.args[0], readSpentOf) : undefined;
    const header: StartHeader = {
      v: 1,
      ...(tenant === undefined ? {} : { tenant }),
      ...(policy === undefined ? {} : { policy }),
      ...(continues === undefined ? {} : { continues }),
    };
    return { ...headers, [headerNames.start]: defaultPayloadConverter.toPayload(header) };
  };
  const shown = <Options extends ShownOptions>(start: Start, said: Options): Options => {
    const notes = isTask(start)
      ? taskNotes(start.args[0])
      : isOfAgent(start)
        ? loopNotes(start.args[0])
        : undefined;
    return withStartNotes(said, { notes, isIndexed: searchAttributes });
  };
  return {
    async startWithDetails(input, next) {
      const start = { workflowType: input.workflowType, args: input.options.args };
      const headers = await prepared(start, input.headers);
      const said = isOfAgent(start) ? joining(input) : input.options;
      return told(next({ ...input, headers, options: shown(start, said) }));
    },
    async signalWithStart(input, next) {
      const start = { workflowType: input.workflowType, args: input.options.args };
      const headers = await prepared(start, input.headers);
      return told(next({ ...input, headers, options: shown(start, input.options) }));
    },
    async startUpdateWithStart(input, next) {
      const start = { workflowType: input.workflowType, args: input.workflowStartOptions.args };
      const workflowStartHeaders = await prepared(start, input.workflowStartHeaders);
      const workflowStartOptions = shown(start, input.workflowStartOptions);
      return told(next({ ...input, workflowStartHeaders, workflowStartOptions }));
    },
  };
}

/** A second start of a task that runs is the same task: a user who asks twice gets one answer. */
function joining({ options }: WorkflowStartInput): WorkflowStartInput['options'] {
  const { workflowIdConflictPolicy, workflowIdReusePolicy } = options;
  const isSaid =
    workflowIdConflictPolicy !== undefined || workflowIdReusePolicy === 'TERMINATE_IF_RUNNING';
  return isSaid ? options : { ...options, workflowIdConflictPolicy: 'USE_EXISTING' };
}

/**
 * Returns what a task begins with whose budget is another one's. Where that can't be had at present, an activity of
 * the run asks again.
 * @throws InvalidRequestError where there is no such workflow
 */
async function inheritedBy(task: unknown, read: ReadSpent): Promise<Inherited | undefined> {
  const workflowId = isPlainObject(task) ? task.continuesBudgetOf : undefined;
  if (typeof workflowId !== 'string' || workflowId === '') return undefined;
  const found = await read(workflowId).then(
    (spent) => ({ spent }),
    () => undefined, // nobody answers: the run's own activity has more time
  );
  if (found === undefined) return undefined;
  const { spent } = found;
  if (spent === undefined) throwFaults([unknownWorkflow(workflowId)]);
  return spent === undefined ? undefined : { workflowId, spent };
}

/** Reads by a client of its own over the same connection, whose queries no interceptor of the user's sees. */
function spentReader({ connection, namespace, dataConverter }: PluggedOptions): ReadSpent {
  let client: Client | undefined;
  return (workflowId) => {
    client ??= new Client({
      ...(connection === undefined ? {} : { connection }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(dataConverter === undefined ? {} : { dataConverter }),
    });
    return readSpent(client, workflowId);
  };
}
