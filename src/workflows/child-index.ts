import type { ChildWorkflowOptions } from '@temporalio/workflow';
import {
  indexedFromStart,
  indexPairs,
  MEMO_AT_START,
  MEMO_FIELD,
  pickedValues,
} from '../contract/search-attributes.js';
import type { RunIndex } from './run-index.js';

/** Lets a child begin with the attributes that its parent shows; what the caller says of them goes before. */
export function withChildIndex<
  Input extends { readonly options: Omit<ChildWorkflowOptions, 'workflowId'> },
>(input: Input, index: RunIndex | undefined): Input {
  if (index === undefined) return input;
  const { typedSearchAttributes: said = [], memo } = input.options;
  const own = Array.isArray(said) ? said : said.getAll();
  const added = indexPairs(pickedValues(indexedFromStart, index.names)).filter(
    ({ key }) => !own.some((pair) => pair.key.name === key.name),
  );
  const options = {
    ...input.options,
    typedSearchAttributes: [...own, ...added],
    ...(index.hasMemo ? { memo: { [MEMO_FIELD]: MEMO_AT_START, ...memo } } : {}),
  };
  return { ...input, options };
}
