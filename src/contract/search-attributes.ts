import { isPlainObject } from './json.js';
import type { OutcomeKind } from './outcome.js';

/**
 * How a run stands: an outcome of one call where that ended it; `partial`: something optional has no answer;
 * `limited`: a limit ended a loop.
 */
export type RunOutcome = OutcomeKind | 'running' | 'partial' | 'limited' | 'cancelled';

/** The values of a run's search attributes, by their names. */
export type IndexValues = {
  readonly HoldfastOutcome: RunOutcome;
  readonly HoldfastDegraded: boolean;
  readonly HoldfastRetries: number;
  readonly HoldfastBreakerOpen: readonly string[];
};

/** The name of one of holdfast's search attributes. */
export type IndexName = keyof IndexValues;

/** One search attribute as it is registered. */
export type IndexAttribute = {
  /** The SDK's name of the type. */
  readonly type: 'KEYWORD' | 'BOOL' | 'INT' | 'KEYWORD_LIST';
  /** What it says, for people. */
  readonly means: string;
};

/** What stands in HoldfastBreakerOpen while no breaker is open: the server keeps no empty list. */
export const NO_BREAKER = 'none';

/** The search attributes by which runs are found in the UI. Released: a name or a type is never edited. */
export const indexAttributes: Readonly<Record<IndexName, IndexAttribute>> = {
  HoldfastOutcome: {
    type: 'KEYWORD',
    means: 'how the run ended, or "running"',
  },
  HoldfastDegraded: {
    type: 'BOOL',
    means: 'whether something stood in for an answer',
  },
  HoldfastRetries: {
    type: 'INT',
    means: 'retries that were used',
  },
  HoldfastBreakerOpen: {
    type: 'KEYWORD_LIST',
    means: `downstreams whose breaker is open in the run, or "${NO_BREAKER}"`,
  },
};

/** Their names, in the order of the table. */
export const indexNames: readonly IndexName[] = [
  'HoldfastOutcome',
  'HoldfastDegraded',
  'HoldfastRetries',
  'HoldfastBreakerOpen',
];

/**
 * What a run is started with that is to be found by its attributes. It keeps up to date those that it began with, and
 * no others: the server has refused the start where one of them isn't registered, so that none can stop the run later.
 */
export const indexedFromStart: IndexValues = {
  HoldfastOutcome: 'running',
  HoldfastDegraded: false,
  HoldfastRetries: 0,
  HoldfastBreakerOpen: [NO_BREAKER],
};

/** The memo's field in which a run says in plain words how it stands. */
export const MEMO_FIELD = 'holdfast';

/** What stands there before a run has said anything. */
export const MEMO_AT_START = 'Running.';

/** A search attribute with a value, as the SDK takes it. */
export type IndexPair =
  | Pair<'HoldfastOutcome', 'KEYWORD', RunOutcome>
  | Pair<'HoldfastDegraded', 'BOOL', boolean>
  | Pair<'HoldfastRetries', 'INT', number>
  | Pair<'HoldfastBreakerOpen', 'KEYWORD_LIST', string[]>;

type Pair<Name extends IndexName, Type, Value> = {
  readonly key: { readonly name: Name; readonly type: Type };
  readonly value: Value;
};

/** Returns attributes as the SDK takes them. */
export function indexPairs(values: Partial<IndexValues>): IndexPair[] {
  return indexNames.flatMap((name) => {
    const value = values[name];
    if (value === undefined) return [];
    const key = { name, type: indexAttributes[name].type };
    return [{ key, value } as IndexPair]; // the table has the type of each value
  });
}

/** Returns some of the attributes only. */
export function pickedValues(
  values: IndexValues,
  names: readonly IndexName[],
): Partial<IndexValues> {
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}

/** Tells whether the server says in an error that it doesn't know one of these attributes, or not of this type. */
export function isIndexRefusal(error: unknown): boolean {
  // The server tells the cause by its text alone, which stands in the gRPC error below the SDK's own.
  const text = error instanceof Error ? `${error.message} ${causeText(error.cause)}` : '';
  return text.includes('search attribute') && indexNames.some((name) => text.includes(name));
}

function causeText(cause: unknown): string {
  if (cause instanceof Error) return cause.message;
  return isPlainObject(cause) && typeof cause.message === 'string' ? cause.message : '';
}

/** Names of the types as the server's own tools spell them. */
const serverTypes = {
  KEYWORD: 'Keyword',
  BOOL: 'Bool',
  INT: 'Int',
  KEYWORD_LIST: 'KeywordList',
} as const satisfies Record<IndexAttribute['type'], string>;

/** Returns the type of each attribute as the server's own tools spell it: `{ HoldfastOutcome: 'Keyword', … }`. */
export function registeredTypes(): Readonly<Record<IndexName, string>> {
  const entries = indexNames.map((name) => [name, serverTypes[indexAttributes[name].type]]);
  return Object.fromEntries(entries) as Record<IndexName, string>; // an entry for each name
}
