import Database from 'better-sqlite3';
import { Pool } from 'pg';
import type { ClaimRequest } from '../../ledger/index.js';
import { ending, leaseMs, type Pair, requestFor } from './ledger-pair.js';

// By hand: no lease that ran out, no approval, no effect asked for again. Parameters stand once and in order.
const claimText = (now: string): string => `
  insert into holdfast_effects (
    key, fingerprint, owner, namespace, workflow_id, run_id, tool, downstream,
    lease_until, state, epoch, first_claimed_at, claimed_at
  )
  values ($1, $2, $3, $4, $5, $6, $7, $8, ${now} + $9, 'claimed', 1, ${now}, ${now})
  on conflict (key) do nothing
  returning epoch`;
const settleText = (now: string): string => `
  update holdfast_effects
  set state = $1, ending = $2, settled_at = ${now}
  where key = $3 and epoch = $4 and state in ('claimed', 'unknown')`;

const claimValues = ({ key, fingerprint, owner, about }: ClaimRequest): readonly unknown[] => [
  ...[key, fingerprint, owner, about.namespace, about.workflowId, about.runId],
  ...[about.tool, about.downstream, leaseMs],
];
const settleValues = (key: string, epoch: number): readonly unknown[] => [
  ...['done', JSON.stringify(ending.effect), key, epoch],
];

/** Returns the two statements prepared by better-sqlite3, on a file that holds a ledger's table. */
export function bareSqlitePair(path: string): Pair {
  const now = "cast(round(unixepoch('subsec') * 1000) as integer)";
  const file = new Database(path);
  file.pragma('synchronous = full');
  const prepare = <Row>(text: string) =>
    file.prepare<unknown[], Row>(text.replaceAll(/\$\d+/g, '?'));
  const claim = prepare<{ readonly epoch: number }>(claimText(now));
  const settle = prepare(settleText(now));
  return {
    run: async (key) => {
      const row = claim.get(claimValues(requestFor(key)));
      if (row === undefined) throw new Error(`${key} was taken`);
      settle.run(settleValues(key, row.epoch));
    },
    close: async () => {
      file.close();
    },
  };
}

/** Returns the two statements prepared by PostgreSQL, through pg's own pool. */
export function barePostgresPair(connectionString: string): Pair {
  const now = 'floor(extract(epoch from statement_timestamp()) * 1000)::bigint';
  const pool = new Pool({ connectionString });
  pool.on('error', () => {}); // a statement in flight tells
  const claim = { name: 'claim', text: claimText(now) };
  const settle = { name: 'settle', text: settleText(now) };
  return {
    run: async (key) => {
      const { rows } = await pool.query<{ readonly epoch: number }>({
        ...claim,
        values: [...claimValues(requestFor(key))],
      });
      if (rows[0] === undefined) throw new Error(`${key} was taken`);
      await pool.query({ ...settle, values: [...settleValues(key, rows[0].epoch)] });
    },
    close: () => pool.end(),
  };
}
