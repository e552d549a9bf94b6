import type { Database } from '../database/database.js';
import type { LimitValues } from './limit-values.js';

/** What is asked for a turn. */
export type TurnAsk = {
  readonly key: string;
  readonly limits: LimitValues;
  readonly tokens: number;
  readonly ticket: string;
};

/** What the database answers to it. */
export type TurnAnswer =
  | { readonly kind: 'admitted'; readonly spentId: string }
  | { readonly kind: 'wait'; readonly waitMs: number };

/** The calls of the database's functions. */
export type Statements = {
  readonly ask: (ask: TurnAsk) => Promise<TurnAnswer>;
  /** Null for the tokens takes the request back. */
  readonly correct: (key: string, spentId: string, tokens: number | null) => Promise<void>;
  readonly leave: (key: string, ticket: string) => Promise<void>;
  readonly sweep: (idleMs: number) => Promise<void>;
};

/** Returns the statements of a limiter, which connections keep prepared. */
export function createStatements({ prepare }: Pick<Database<unknown>, 'prepare'>): Statements {
  const ask = prepare('select spent_id, wait_ms from holdfast_limit_ask($1, $2, $3, $4, $5, $6)');
  const correct = prepare('select holdfast_limit_correct($1, $2, $3)');
  const leave = prepare('select holdfast_limit_leave($1, $2)');
  const sweep = prepare('select holdfast_limit_sweep($1)');
  return {
    ask: async ({ key, limits, tokens, ticket }) => {
      const { requests, tokens: tokenLimit, intervalMs } = limits;
      const { rows } = await ask([key, requests, tokenLimit, intervalMs, tokens, ticket]);
      // the two columns that the statement selects; pg hands bigint out as text
      const [row] = rows as readonly {
        readonly spent_id: string | null;
        readonly wait_ms: number;
      }[];
      if (row === undefined) throw new Error('the database answered nothing');
      if (row.spent_id !== null) return { kind: 'admitted', spentId: row.spent_id };
      return { kind: 'wait', waitMs: row.wait_ms };
    },
    correct: async (key, spentId, tokens) => {
      await correct([key, spentId, tokens]);
    },
    leave: async (key, ticket) => {
      await leave([key, ticket]);
    },
    sweep: async (idleMs) => {
      await sweep([idleMs]);
    },
  };
}
