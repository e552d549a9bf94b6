import { throwFaults } from '../budget/errors.js';
import { faultsOf, rules } from '../budget/rules.js';
import { createAsking } from '../database/asking.js';
import { createClaim, readRow } from './claim.js';
import type { LedgerDatabase } from './database.js';
import { toEntry } from './entry.js';
import type { ClaimAnswer, Ledger, LedgerCounts, Swept } from './ledger.js';
import { checkQuery, list } from './list.js';
import { checkClaim, checkKey, checkLease } from './request-check.js';
import { ledgerSchema } from './schema.js';
import { createSettle, renew, resolve, toStoredEnd, undo } from './settle.js';
import { sweep } from './sweep.js';

const defaultBatchSize = 1_000;

/** Returns the ledger that keeps its entries in a database. */
export function createSqlLedger(store: LedgerDatabase, retentionMs: number): Ledger {
  const claim = createClaim(store);
  const settle = createSettle(store);
  let counts: LedgerCounts = noCounts;

  const count = (name: keyof LedgerCounts): void => {
    counts = { ...counts, [name]: counts[name] + 1 };
  };
  const { ask, close } = createAsking(ledgerSchema, store.close);
  const askPatiently = <Answer>(operation: string, run: () => Promise<Answer>): Promise<Answer> =>
    ask(operation, () => store.patiently(run));

  return {
    kind: store.kind,
    retentionMs,
    claim: async (request) => {
      checkClaim(request);
      const answer = await askPatiently('claim', () => claim(request));
      for (const name of countersOf(answer)) count(name);
      return answer;
    },
    renew: async (held, leaseMs) => {
      checkKey(held.key);
      checkLease(leaseMs);
      return askPatiently('renew', () => renew(store, held, leaseMs));
    },
    settle: async (held, end) => {
      checkKey(held.key);
      const stored = toStoredEnd(end);
      const answer = await askPatiently('settle', () => settle(held, stored));
      if (answer === 'stale') count('staleSettle');
      return answer;
    },
    resolve: async (key, resolution) => {
      checkKey(key);
      throwFaults(faultsOf('by', resolution.by, rules.text));
      const { end } = resolution;
      const stored = toStoredEnd(
        end.kind === 'done'
          ? { kind: 'done', effect: { kind: 'result', value: end.result } }
          : { kind: 'released' },
      );
      return askPatiently('resolve', () => resolve(store, key, stored, resolution));
    },
    undo: async (key, by) => {
      checkKey(key);
      throwFaults(faultsOf('by', by, rules.text));
      return askPatiently('undo', () => undo(store, key, by));
    },
    find: async (key) => {
      checkKey(key);
      const row = await askPatiently('find', () => readRow(store, key));
      return row === undefined ? undefined : toEntry(row);
    },
    list: async (query = {}) => {
      const checked = checkQuery(query);
      return askPatiently('list', () => list(store, checked));
    },
    sweep: async ({ batchSize = defaultBatchSize, onBatch = ignore } = {}) => {
      throwFaults(faultsOf('batchSize', batchSize, rules.positiveInteger));
      return ask('sweep', () => sweep(store, { retentionMs, batchSize, onBatch }));
    },
    counts: () => counts,
    close,
  };
}

const noCounts: LedgerCounts = {
  claimed: 0,
  replayed: 0,
  inProgress: 0,
  conflict: 0,
  unknown: 0,
  reclaimed: 0,
  staleSettle: 0,
};

function countersOf(answer: ClaimAnswer): readonly (keyof LedgerCounts)[] {
  switch (answer.kind) {
    case 'claimed':
      return answer.reclaimed ? ['claimed', 'reclaimed'] : ['claimed'];
    case 'in-progress':
      return ['inProgress'];
    case 'approval-consumed':
    case 'undone':
      return [];
    default:
      return [answer.kind];
  }
}

function ignore(_soFar: Swept): void {}
