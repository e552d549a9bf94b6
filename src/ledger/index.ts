export type {
  ClaimAnswer,
  ClaimRequest,
  EffectOrigin,
  EntryState,
  HeldClaim,
  Ledger,
  LedgerCounts,
  LedgerEntry,
  ListPage,
  ListQuery,
  RecordedEnd,
  Resolution,
  ResolveAnswer,
  SettleAnswer,
  SettledEnd,
  Swept,
} from './ledger.js';
export { LedgerUnavailableError, LedgerUnusableError } from './ledger-errors.js';
export { type LedgerAddress, openLedger, readLedgerAddress } from './open-ledger.js';
export type { LedgerOptions } from './options.js';
export { openPostgres, type PostgresOptions } from './postgres.js';
export { openSqlite, type SqliteOptions } from './sqlite.js';
