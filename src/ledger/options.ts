/** What both stores take. */
export type LedgerOptions = {
  /**
   * Milliseconds that a settled effect is remembered, at least: not less than workflows are kept.
   * @default 2_592_000_000 30 days
   */
  readonly retentionMs?: number | undefined;
  /**
   * Refuses a database that holds no ledger; else one is made there.
   * @default false
   */
  readonly mustExist?: boolean | undefined;
};

/** The defaults of both stores. */
export const ledgerDefaults = { retentionMs: 30 * 24 * 3_600_000, mustExist: false } as const;
