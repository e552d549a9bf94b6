import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import {
  type ActivityInterceptorsFactory,
  type ReplayWorkerOptions,
  Runtime,
  type WorkerOptions,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import { builtInActivities } from './activities/built-in.js';
import { createDownstreamGuard } from './activities/downstream-guard.js';
import type { ToolImplementation } from './activities/implement-tool.js';
import {
  createActivityInterceptors,
  type HoldfastInterceptors,
  ownInterceptors,
} from './activities/interceptor.js';
import type { PolicySource } from './activities/policy-source.js';
import { type Fault, HoldfastError, throwFaults } from './budget/errors.js';
import type { Effect } from './contract/effect.js';
import { MODEL_GENERATE } from './contract/model.js';
import type { PolicyInput } from './contract/policy.js';
import type { ConversationStore } from './conversations/conversations.js';
import type { Ledger } from './ledger/ledger.js';
import type { Limiter } from './limits/limiter.js';
import type { RetryBudget } from './limits/retry-budget.js';
import { createRecorder } from './telemetry/recorder.js';
import type { AdoptionFactory } from './workflows/adoption.js';
import type { HoldfastSinks } from './workflows/sinks.js';

/** What a worker of holdfast runs. */
export type HoldfastWorkerOptions = {
  /** Tools that this worker runs as activities. */
  readonly implementations?: readonly ToolImplementation[] | undefined;
  /** What remembers effects: a worker that runs writes needs one. */
  readonly ledger?: Ledger | undefined;
  /**
   * Admits requests and tokens per minute, for policies that limit them; one with a store limits the whole fleet.
   * @default one in memory, for this process
   */
  readonly limiter?: Limiter | undefined;
  /** What retries may be of a downstream's calls. @default one of this process; with a store it is the fleet's */
  readonly retryBudget?: RetryBudget | undefined;
  /** The folder below which batches may read files of items: without one no file is read. */
  readonly batchFolder?: string | undefined;
  /** Where the conversations of agent loops stand: a worker that runs their models and tools needs them. */
  readonly conversations?: ConversationStore | undefined;
  /** Path of the module whose `governActivities` governs plain activity calls. */
  readonly policyModule?: string | undefined;
  /** Where runs find policies by name (`policyFrom`), such as `policyFiles(folder)`. */
  readonly policies?: PolicySource | undefined;
};

/** A prepared workflow bundle that was built without the plugin: nothing would be governed. */
export class UngovernedBundleError extends HoldfastError {
  readonly kind = 'ungoverned-bundle';

  constructor() {
    super(
      'The workflow bundle was built without holdfast, so nothing in it would be governed: ' +
        'pass the plugin to bundleWorkflowCode as well.',
    );
  }
}

const SWEEP_EVERY_MS = 60_000;

/** A string that stands in the gate's module and so in every bundle that holds it. */
const GATE_MARK = 'holdfast-gate-v1';

/** A worker that would run writes without anything that remembers them: an effect could happen twice. */
export class LedgerMissingError extends HoldfastError {
  readonly kind = 'ledger-missing';

  constructor(readonly writes: readonly string[]) {
    super(
      `This worker runs writes (${writes.join(', ')}) without a ledger, so an effect could happen twice: ` +
        'open one (openSqlite or openPostgres of holdfast/ledger) and pass it as holdfast({ ledger }).',
    );
  }
}

/** What guards downstreams beyond one worker. */
export type GuardParts = { readonly limiter: Limiter; readonly retryBudget: RetryBudget };

/** Adds tools, the interceptor and the sink to a worker's options; applied twice, it adds them once. */
export async function workerOptions(
  options: WorkerOptions,
  {
    implementations = [],
    policyModule,
    ledger,
    conversations,
    batchFolder,
    policies,
    limiter,
    retryBudget,
  }: HoldfastWorkerOptions & GuardParts,
): Promise<WorkerOptions> {
  await checkBundle(options.workflowBundle);
  const activities = {
    ...options.activities,
    ...activitiesOf(implementations, options.activities),
  };
  const names = Object.keys(activities);
  const policy = policyModule === undefined ? {} : await checkPolicyModule(policyModule, names);
  const present = options.interceptors?.activity ?? [];
  const own = ownInterceptors(present) ?? measuredInterceptors(options, { limiter, retryBudget });
  const half = own.holdfast;
  half.ledger ??= ledger;
  half.conversations ??= conversations;
  for (const one of implementations) half.implementations.set(one.tool.name, one);
  warnOfLoops(half, implementations);
  if (half.ledger !== undefined) await checkRetention(half.ledger, options);
  checkLedger(half.ledger, [
    ...implementations.map(({ tool }) => tool),
    ...names.map((name) => ({ name, effect: policy.tools?.[name]?.effect ?? 'read' })),
  ]);
  return {
    ...withSink(options),
    // A worker without activities would take the tasks of others, and fail them, for the sake of these.
    activities:
      names.length === 0 && policies === undefined && batchFolder === undefined
        ? activities
        : { ...activities, ...builtInActivities({ policies, batchFolder }) },
    interceptors: {
      ...options.interceptors,
      activity: present.includes(own)
        ? present
        : [...present, own satisfies ActivityInterceptorsFactory],
    },
  };
}

/** Two workers of a process share its metrics: the labels of the SDK's own tell them apart. */
function measuredInterceptors(
  { namespace = 'default', taskQueue = 'default' }: WorkerOptions,
  parts: GuardParts,
): HoldfastInterceptors {
  const meter = Runtime.instance().metricMeter.withTags({ namespace, taskQueue });
  const measure = createRecorder(meter);
  return createActivityInterceptors(createDownstreamGuard({ ...parts, measure }), measure);
}

/** A model may be asked by workflows without a loop, so that a missing store is no error before it is needed. */
function warnOfLoops(
  { conversations }: Pick<HoldfastWorkerOptions, 'conversations'>,
  implementations: readonly ToolImplementation[],
): void {
  if (conversations !== undefined) return;
  if (!implementations.some(({ tool }) => tool.name === MODEL_GENERATE)) return;
  Runtime.instance().logger.warn(
    'This worker asks models without a store of conversations, so agent loops will be refused: open one ' +
      '(openConversations of holdfast/conversations) and pass it as holdfast({ conversations }).',
  );
}

/** @throws LedgerMissingError where there are writes that nothing remembers */
function checkLedger(
  ledger: Ledger | undefined,
  tools: readonly { readonly name: string; readonly effect: Effect }[],
): void {
  if (ledger !== undefined) return;
  const writes = tools.filter(({ effect }) => effect !== 'read').map(({ name }) => name);
  if (writes.length > 0) throw new LedgerMissingError([...new Set(writes)]);
}

/** Adds the sink that replay reports the final state to, unless a test brings its own. */
export function withSink<O extends WorkerOptions | ReplayWorkerOptions>(options: O): O {
  const silent: HoldfastSinks['holdfast'] = { ended: () => {} };
  return { ...options, sinks: { holdfast: { ended: { fn: silent.ended } }, ...options.sinks } };
}

/** @throws UngovernedBundleError for a prepared bundle without the gate */
export async function checkBundle(bundle: WorkflowBundleOption | undefined): Promise<void> {
  if (bundle === undefined) return;
  const code = 'code' in bundle ? bundle.code : await readFile(bundle.codePath, 'utf8');
  if (!code.includes(GATE_MARK)) throw new UngovernedBundleError();
}

/**
 * Loads the policy module: a policy with faults throws here rather than in every workflow task. Names that no
 * activity of this worker has are warned of: another worker may have them, or they are typos that leave the
 * activity that is meant without its limits.
 */
async function checkPolicyModule(
  path: string,
  activities: readonly string[],
): Promise<PolicyInput> {
  const { interceptors }: { readonly interceptors?: Partial<AdoptionFactory> } = await import(
    pathToFileURL(path).href
  );
  const policy = interceptors?.policy ?? {};
  const named = Object.keys(policy.tools ?? {});
  const strangers = named.filter((name) => !activities.includes(name));
  if (activities.length === 0 || strangers.length === 0) return policy;
  Runtime.instance().logger.warn(
    `The policy module names activities that this worker doesn't have: ${strangers.join(', ')}. ` +
      `It has ${activities.join(', ')}.`,
  );
  return policy;
}

function activitiesOf(
  implementations: readonly ToolImplementation[],
  present: object | undefined,
): Record<string, ToolImplementation['activity']> {
  const activities: Record<string, ToolImplementation['activity']> = {};
  const faults: Fault[] = [];
  implementations.forEach(({ tool, activity }, index) => {
    const other = Object.hasOwn(activities, tool.name)
      ? activities[tool.name]
      : ownValue(present, tool.name);
    if (other !== undefined && other !== activity) {
      const rule = 'must differ from the names of the other activities';
      faults.push({ field: `implementations[${index}].tool.name`, rule, value: tool.name });
    }
    activities[tool.name] = activity;
  });
  throwFaults(faults);
  return activities;
}

function ownValue(record: object | undefined, name: string): unknown {
  return record === undefined ? undefined : Object.getOwnPropertyDescriptor(record, name)?.value;
}

/** A store that forgets what is past its retention. */
type Swept = { readonly name: string; readonly sweep: () => Promise<unknown> };

/** Lists what a worker sweeps while it runs. */
export function sweptStores({ ledger, conversations }: HoldfastWorkerOptions): readonly Swept[] {
  return [
    ...(ledger === undefined ? [] : [{ name: 'ledger', sweep: () => ledger.sweep() }]),
    ...(conversations === undefined
      ? []
      : [{ name: 'store of conversations', sweep: () => conversations.sweep() }]),
  ];
}

/**
 * Sweeps stores once a minute while a worker runs. A sweep that fails is logged and tried again a minute later:
 * entries that stay longer do no harm.
 */
export async function sweepWhile(
  stores: readonly Swept[],
  run: () => Promise<void>,
): Promise<void> {
  if (stores.length === 0) return run();
  let sweeping: Promise<unknown> = Promise.resolve();
  const sweep = (): void => {
    const sweeps = stores.map((store) =>
      store.sweep().catch((error: unknown) => {
        Runtime.instance().logger.warn(`The ${store.name} could not be swept: ${String(error)}`);
      }),
    );
    sweeping = Promise.all(sweeps);
  };
  const timer = setInterval(sweep, SWEEP_EVERY_MS);
  timer.unref();
  try {
    await run();
  } finally {
    clearInterval(timer);
    await sweeping;
  }
}

/**
 * Checks that the ledger keeps effects at least as long as the namespace keeps its workflows: a reset of one would
 * cause its effects again otherwise. A server that doesn't tell is no reason not to start.
 * @throws InvalidRequestError where it doesn't
 */
async function checkRetention(ledger: Ledger, options: WorkerOptions): Promise<void> {
  const { connection, namespace = 'default' } = options;
  if (connection === undefined) return;
  const described = await connection.workflowService
    .describeNamespace({ namespace })
    .catch((error: unknown) => {
      Runtime.instance().logger.warn(
        `How long ${namespace} keeps workflows is not known, so the ledger's retention wasn't checked: ${String(error)}`,
      );
    });
  const ttl = described?.config?.workflowExecutionRetentionTtl?.seconds;
  const workflowsMs = ttl == null ? 0 : Number(ttl) * 1_000;
  if (ledger.retentionMs >= workflowsMs) return;
  const rule = `must be at least the ${workflowsMs} ms that the namespace ${namespace} keeps its workflows`;
  throwFaults([{ field: 'ledger.retentionMs', rule, value: ledger.retentionMs }]);
}
