import { sql } from 'kysely';
import { throwFaults } from '../budget/errors.js';
import { faultsOf, rules } from '../budget/rules.js';
import { isHeld, isLost, type LedgerDatabase } from './database.js';
import { type ReadRow, toEntry } from './entry.js';
import type { EntryState, ListPage, ListQuery } from './ledger.js';

/** Where a page ends. */
type Place = { readonly claimedAt: number; readonly key: string };

/** What a list is asked for, checked. */
export type CheckedQuery = {
  readonly state: EntryState | undefined;
  readonly workflowId: string | undefined;
  readonly tool: string | undefined;
  readonly keyPrefix: string | undefined;
  readonly limit: number;
  readonly after: Place | undefined;
};

const defaultLimit = 100;
const states: readonly unknown[] = [
  'claimed',
  'done',
  'refused',
  'undone',
  'released',
  'unknown',
] satisfies readonly EntryState[];

/** @throws InvalidRequestError that names every fault */
export function checkQuery(query: ListQuery): CheckedQuery {
  const { state, workflowId, tool, keyPrefix, limit = defaultLimit } = query;
  const after = query.after === undefined ? undefined : placeOf(query.after);
  const stateRule = {
    holds: (value: unknown) => value === undefined || states.includes(value),
    text: `must be one of ${states.join(', ')}`,
  };
  const keyPrefixRule = {
    holds: () => keyPrefix === undefined || /^[0-9a-f]{8,64}$/.test(keyPrefix),
    text: 'must be 8 to 64 hex digits',
  };
  const afterRule = {
    holds: () => query.after === undefined || after !== undefined,
    text: 'must be the `next` of an earlier page',
  };
  throwFaults([
    ...faultsOf('state', state, stateRule),
    ...faultsOf('keyPrefix', keyPrefix, keyPrefixRule),
    ...faultsOf('limit', limit, rules.positiveInteger),
    ...faultsOf('after', query.after, afterRule),
  ]);
  return { state, workflowId, tool, keyPrefix, limit, after };
}

/** Returns a page of entries, those first that were claimed last. */
export async function list(store: LedgerDatabase, query: CheckedQuery): Promise<ListPage> {
  const { state, workflowId, tool, keyPrefix, limit, after } = query;
  let select = store.db
    .selectFrom('holdfast_effects')
    .selectAll()
    .select(store.now.as('now'))
    .orderBy('claimed_at', 'desc')
    .orderBy('key', 'desc')
    .limit(limit + 1);
  if (state === 'claimed') select = select.where(isHeld(store));
  else if (state === 'unknown') select = select.where(isLost(store));
  else if (state !== undefined) select = select.where('state', '=', state);
  if (workflowId !== undefined) select = select.where('workflow_id', '=', workflowId);
  if (tool !== undefined) select = select.where('tool', '=', tool);
  if (keyPrefix !== undefined) {
    // a range, for the primary key's index: in every collation hex digits sort before a g
    select = select.where('key', '>=', keyPrefix).where('key', '<', `${keyPrefix}g`);
  }
  if (after !== undefined) {
    select = select.where(sql<boolean>`(claimed_at, key) < (${after.claimedAt}, ${after.key})`);
  }
  const rows = await select.execute();
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { entries: page.map(toEntry), next: last === undefined ? null : cursorAt(last) };
}

function cursorAt({ claimed_at, key }: ReadRow): string {
  return Buffer.from(JSON.stringify([Number(claimed_at), key])).toString('base64url');
}

function placeOf(cursor: string): Place | undefined {
  try {
    const [claimedAt, key]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (typeof key !== 'string' || !Number.isSafeInteger(claimedAt)) return undefined;
    return { claimedAt: Number(claimedAt), key };
  } catch {
    return undefined; // no JSON, or no list: the caller names the fault
  }
}
