import { assertNever } from '../../../budget/assert-never.js';
import type { Misbehaviour } from '../faults.js';
import type { AskedCall } from './agent-conversation.js';

/** A call before it has an id. */
export type UnnamedCall = Omit<AskedCall, 'id'>;

/**
 * Makes the calls of a turn wrong in one way.
 * @param calls what the model would call; none where it would answer
 * @param first what it called first in this conversation, which an endless model calls again and again
 */
export function spoilCalls(
  calls: readonly UnnamedCall[],
  { how, first }: { readonly how: Misbehaviour; readonly first: UnnamedCall | undefined },
): readonly UnnamedCall[] {
  switch (how) {
    case 'broken-arguments':
      return calls.map(({ name, arguments: json }) => ({ name, arguments: json.slice(0, -1) }));
    case 'unknown-tool':
      return calls.map((call) => ({ ...call, name: `${call.name}_v2` }));
    case 'wrong-arguments':
      return calls.map(({ name }) => ({ name, arguments: '{"query":"all of it"}' }));
    case 'endless-calls':
      return first === undefined ? calls : [{ name: first.name, arguments: first.arguments }];
    default:
      return assertNever(how);
  }
}
