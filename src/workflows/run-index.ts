import {
  ContinueAsNew,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { RunState } from '../contract/run-state.js';
import {
  type IndexName,
  type IndexValues,
  indexAttributes,
  indexNames,
  indexPairs,
  MEMO_FIELD,
  NO_BREAKER,
  pickedValues,
  type RunOutcome,
} from '../contract/search-attributes.js';
import { memoText } from './memo-text.js';
import { type RunContext, runContext } from './run-context.js';
import { hasDegraded, outcomeOfError, outcomeOfValue } from './run-outcome.js';

/** What a run tells to whoever lists runs. */
export type RunIndex = {
  /** The attributes that it began with: the server knows them, so that writing them can't stop the run. */
  readonly names: readonly IndexName[];
  readonly hasMemo: boolean;
  /** What stands in them. */
  written: Partial<IndexValues>;
  /** Whether the memo says that something stood in for an answer. */
  isDegraded: boolean;
};

/** Six names of a hundred characters stay below the 2 kB that the server allows for one attribute, in any script. */
const BREAKERS_SHOWN = 6;
const NAME_LENGTH = 100;

/**
 * Reads which attributes the run was started with, and whether with holdfast's memo: the history's first event says
 * so, and nothing else decides it.
 */
export function beginIndex(): RunIndex | undefined {
  const { typedSearchAttributes, memo } = workflowInfo();
  const begun = typedSearchAttributes
    .getAll()
    .filter(({ key }) => indexNames.some((name) => isOf(name, key)));
  const names = indexNames.filter((name) => begun.some(({ key }) => isOf(name, key)));
  // What is no text there is somebody else's.
  const hasMemo = typeof memo?.[MEMO_FIELD] === 'string';
  if (names.length === 0 && !hasMemo) return undefined;
  const written: Partial<IndexValues> = Object.fromEntries(
    begun.map(({ key, value }) => [key.name, value]),
  );
  return { names, hasMemo, written, isDegraded: written.HoldfastDegraded === true };
}

function isOf(name: IndexName, key: { readonly name: string; readonly type: string }): boolean {
  return key.name === name && key.type === indexAttributes[name].type;
}

/**
 * Writes what has changed: when something first stands in for an answer, and when a breaker opens or closes. Retries
 * alone wait for that, or for the end: each write is an event of the history.
 */
export function showRun(): void {
  // Undoing sees figures of its own; what is shown is the run's.
  show(runContext(), 'running');
}

/** Lets a run that ends say how; a promise as it came where nothing is shown. */
export function showEnd(run: RunContext, ended: Promise<unknown>): Promise<unknown> {
  if (run.index === undefined) return ended;
  return ended.then(
    (value) => {
      show(run, outcomeOfValue(value, run.state));
      return value;
    },
    (error: unknown) => {
      // The run that comes next goes on with what stands there.
      if (!(error instanceof ContinueAsNew)) show(run, outcomeOfError(error, run.state));
      throw error;
    },
  );
}

function show({ index, state }: RunContext, outcome: RunOutcome): void {
  if (index === undefined) return;
  const values = indexValues(state, outcome);
  const { names, written } = index;
  const changed = names.filter((name) => !isSame(written[name], values[name]));
  const isEnd = outcome !== 'running';
  if (isEnd || changed.some((name) => name !== 'HoldfastRetries')) {
    const pairs = indexPairs(pickedValues(values, changed));
    if (pairs.length > 0) upsertSearchAttributes(pairs);
    index.written = { ...written, ...pickedValues(values, changed) };
  }
  const isNews = isEnd || values.HoldfastDegraded !== index.isDegraded;
  if (index.hasMemo && isNews) upsertMemo({ [MEMO_FIELD]: memoText(state, outcome) });
  index.isDegraded = values.HoldfastDegraded;
}

/** Returns what the attributes of a run are at a moment. */
export function indexValues(state: RunState | undefined, outcome: RunOutcome): IndexValues {
  return {
    HoldfastOutcome: outcome,
    HoldfastDegraded: outcome === 'degraded' || hasDegraded(state),
    HoldfastRetries: (state?.retries ?? 0) + (state?.undo?.retries ?? 0),
    HoldfastBreakerOpen: openBreakers(state),
  };
}

function openBreakers({ breakers = {} }: Partial<Pick<RunState, 'breakers'>> = {}): string[] {
  const open = Object.entries(breakers)
    .filter(([, { kind }]) => kind !== 'closed')
    .map(([downstream]) => downstream.slice(0, NAME_LENGTH))
    .sort();
  return open.length === 0 ? [NO_BREAKER] : open.slice(0, BREAKERS_SHOWN);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
