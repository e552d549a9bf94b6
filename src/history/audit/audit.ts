import { isBuiltIn } from '../../contract/built-in-activities.js';
import type { RunFacts, RunStatus } from '../run-facts.js';
import { activityName } from './activity-name.js';
import { type ActivitySums, addCalls, noActivity } from './activity-sums.js';
import { type CallAttempts, callAttempts } from './call-attempts.js';
import { addDownstreamCalls, type DownstreamSums, noDownstream } from './downstream-sums.js';
import { type Named, named } from './named.js';
import {
  addParent,
  addWorkflow,
  mostNames,
  noWorkflow,
  type WorkflowSums,
} from './workflow-sums.js';

/**
 * What an audit has learned so far, as plain JSON. Its size follows the number of different names, which is
 * bounded too, and not the number of runs.
 */
export type Audit = {
  readonly version: 1;
  readonly runs: number;
  readonly governedRuns: number;
  readonly events: number;
  readonly statuses: Readonly<Partial<Record<RunStatus, number>>>;
  readonly firstStartedAt: number | null;
  readonly lastStartedAt: number | null;
  readonly activities: Named<ActivitySums>;
  readonly workflows: Named<WorkflowSums>;
  readonly downstreams: Named<DownstreamSums>;
  /** Calls and runs of names beyond those that are kept. */
  readonly beyond: number;
};

/** An audit that has read nothing. */
export const initialAudit: Audit = {
  version: 1,
  runs: 0,
  governedRuns: 0,
  events: 0,
  statuses: {},
  firstStartedAt: null,
  lastStartedAt: null,
  activities: {},
  workflows: {},
  downstreams: {},
  beyond: 0,
};

/** Returns the audit with one more run. */
export function addRun(audit: Audit, run: RunFacts): Audit {
  const calls = callAttempts(run).filter(({ activity }) => !isBuiltIn(activity.type));
  const { startedAt, status } = run;
  // what a reset has copied stands in another run, too, which counts it
  const ownCalls = calls.filter(({ activity }) => !activity.isCopied);
  const activities = addGroups(audit.activities, {
    groups: groupBy(ownCalls, ({ activity }) => activityName(activity)),
    most: mostNames.activities,
    add: (sums: ActivitySums | undefined, group) => addCalls(sums ?? noActivity, group, run),
  });
  const enforced = ownCalls.filter(({ activity }) => activity.call?.mode === 'on');
  const downstreams = addGroups(audit.downstreams, {
    groups: groupBy(enforced, ({ activity }) => activity.call?.downstream ?? ''),
    most: mostNames.activities,
    add: (sums: DownstreamSums | undefined, group) =>
      addDownstreamCalls(sums ?? noDownstream, group, run),
  });
  const workflows = addFamily(audit.workflows, run, calls);
  return {
    version: 1,
    runs: audit.runs + 1,
    governedRuns: audit.governedRuns + (run.isGoverned ? 1 : 0),
    events: audit.events + run.events,
    statuses: { ...audit.statuses, [status]: (audit.statuses[status] ?? 0) + 1 },
    firstStartedAt: Math.min(audit.firstStartedAt ?? startedAt, startedAt),
    lastStartedAt: Math.max(audit.lastStartedAt ?? startedAt, startedAt),
    activities: activities.things,
    workflows: workflows.things,
    downstreams: downstreams.things,
    beyond: audit.beyond + activities.beyond + workflows.beyond + downstreams.beyond,
  };
}

type Grown<Thing> = { readonly things: Named<Thing>; readonly beyond: number };

/** Adds the run to its own type, and says of its children's types whose children they are. */
function addFamily(
  workflows: Named<WorkflowSums>,
  run: RunFacts,
  calls: readonly CallAttempts[],
): Grown<WorkflowSums> {
  const own = addGroups(workflows, {
    groups: new Map([[run.workflowType, [run]]]),
    most: mostNames.workflows,
    add: (sums: WorkflowSums | undefined) => addWorkflow(sums ?? noWorkflow, run, calls),
  });
  const children = addGroups(own.things, {
    groups: groupBy(run.children, ({ workflowType }) => workflowType),
    most: mostNames.workflows,
    add: (sums: WorkflowSums | undefined, group) =>
      group.reduce(
        (before, child) => addParent(before, run.workflowType, child.retryPolicy),
        sums ?? noWorkflow,
      ),
  });
  return { things: children.things, beyond: own.beyond + children.beyond };
}

function addGroups<Thing, Item>(
  things: Named<Thing>,
  options: {
    readonly groups: ReadonlyMap<string, readonly Item[]>;
    readonly most: number;
    readonly add: (thing: Thing | undefined, group: readonly Item[]) => Thing;
  },
): Grown<Thing> {
  const { groups, most, add } = options;
  let grown = things;
  let beyond = 0;
  for (const [name, group] of groups) {
    const known = named(grown, name);
    if (known === undefined && Object.keys(grown).length >= most) beyond += group.length;
    else grown = { ...grown, [name]: add(known, group) };
  }
  return { things: grown, beyond };
}

function groupBy<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
}
