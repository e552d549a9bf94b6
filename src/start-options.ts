import type { WorkflowOptions } from '@temporalio/client';
import { HoldfastError } from './budget/errors.js';
import {
  indexedFromStart,
  indexPairs,
  isIndexRefusal,
  MEMO_AT_START,
  MEMO_FIELD,
} from './contract/search-attributes.js';
import type { StartNotes } from './contract/start-notes.js';

/** What a start says that the UI shows. */
export type ShownOptions = Pick<
  WorkflowOptions,
  'staticSummary' | 'staticDetails' | 'memo' | 'typedSearchAttributes'
>;

/** The namespace hasn't registered the attributes with which a run was to be started. */
export class SearchAttributesMissingError extends HoldfastError {
  readonly kind = 'search-attributes-missing';

  constructor(options: { readonly cause: unknown }) {
    super(
      "Nothing was started: the namespace doesn't have holdfast's search attributes, or has them with other types. " +
        'Register them with `holdfast doctor --fix`, or start without holdfast({ searchAttributes: true }).',
      options,
    );
  }
}

/** Adds what the UI shows of a run; what the caller says goes before. */
export function withStartNotes<Options extends ShownOptions>(
  options: Options,
  added: { readonly notes: StartNotes | undefined; readonly isIndexed: boolean },
): Options {
  const { notes, isIndexed } = added;
  const noted = notes === undefined ? options : { ...notes, ...withoutUndefined(options) };
  return isIndexed ? { ...noted, ...indexed(noted) } : noted;
}

function indexed({ memo, typedSearchAttributes: said = [] }: ShownOptions): ShownOptions {
  const own = Array.isArray(said) ? said : said.getAll();
  const added = indexPairs(indexedFromStart).filter(
    ({ key }) => !own.some((pair) => pair.key.name === key.name),
  );
  return {
    memo: { [MEMO_FIELD]: MEMO_AT_START, ...memo },
    typedSearchAttributes: [...own, ...added],
  };
}

function withoutUndefined<Options extends object>(options: Options): Options {
  const said = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said) as Options; // a field that is undefined is optional
}

/** Says in holdfast's words why the server refused a start. */
export async function told<Result>(started: Promise<Result>): Promise<Result> {
  try {
    return await started;
  } catch (cause) {
    if (isIndexRefusal(cause)) throw new SearchAttributesMissingError({ cause });
    throw cause;
  }
}
