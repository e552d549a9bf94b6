import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ledger, openPostgres, openSqlite } from 'holdfast/ledger';
import { startPostgres } from './postgres.js';

/** Where effects are remembered. */
export type EffectStore =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly connectionString: string };

/** A store of a test file's own. */
export type StartedStore = { readonly store: EffectStore; readonly stop: () => Promise<void> };

/** Opens the ledger of a store. */
export function openStore(store: EffectStore): Promise<Ledger> {
  return store.kind === 'sqlite'
    ? openSqlite({ path: store.path })
    : openPostgres({ connectionString: store.connectionString });
}

/** Makes an empty store: a file that several processes share, or a server. */
export async function startStore(kind: EffectStore['kind']): Promise<StartedStore> {
  if (kind === 'postgres') {
    const server = await startPostgres();
    return { store: { kind, connectionString: server.url }, stop: server.stop };
  }
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  return {
    store: { kind, path: join(folder, 'ledger.db') },
    stop: () => rm(folder, { recursive: true }),
  };
}
