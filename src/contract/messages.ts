/** Names of the queries that every governed run answers. */
export const queries = {
  /** The whole state: plan, pool, breakers, tokens. Returns RunState. */
  state: 'holdfast.state',
  /** What the run did and spent. Returns RunReport. */
  report: 'holdfast.report',
} as const;

/** Short names under which agent tasks, and they alone, answer the same queries. */
export const queryAliases = { state: 'state', report: 'report' } as const;
