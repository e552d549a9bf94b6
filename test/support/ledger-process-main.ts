import { assertNever } from '../../src/budget/assert-never.js';
import { type Ledger, openPostgres, openSqlite } from '../../src/ledger/index.js';
import { done, request } from './ledger-fixture.js';
import type { LedgerOrder, Told } from './ledger-process.js';

const clockOffMs = Number(process.argv[2]);
const realNow = Date.now;
Date.now = () => realNow() + clockOffMs;

let ledger: Ledger | undefined;

async function obey(order: LedgerOrder): Promise<Told> {
  switch (order.kind) {
    case 'open': {
      const { store, at } = order;
      ledger = await (store === 'sqlite'
        ? openSqlite({ path: at })
        : openPostgres({ connectionString: at }));
      return { kind: 'opened', texts: [] };
    }
    case 'race':
      return {
        kind: 'raced',
        texts: await Promise.all(order.keys.map((key) => race(key, order.effectUrl))),
      };
    case 'drop-rights':
      process.setgid?.(65_534);
      process.setuid?.(65_534);
      return { kind: 'dropped', texts: [] };
    case 'close':
      await ledger?.close();
      return { kind: 'closed', texts: [] };
    default:
      return assertNever(order);
  }
}

/** Asks twice: a ledger that measured leases by this process's clock would give the claim the second time. */
async function race(key: string, effectUrl: string): Promise<string> {
  if (ledger === undefined) throw new Error('no ledger has been opened');
  let kind = '';
  for (const turn of ['first', 'second']) {
    const answer = await ledger.claim(request({ key, owner: `${process.pid}-${turn}` }));
    kind = `${kind} ${answer.kind}`.trim();
    if (answer.kind !== 'claimed') continue;
    const effect = await fetch(effectUrl, { method: 'POST', body: key });
    await effect.arrayBuffer();
    await ledger.settle(answer.claim, done(process.pid));
  }
  return kind;
}

process.on('message', (order: LedgerOrder) => {
  void obey(order) // its end is the message
    .catch((error: unknown) => toTold(error))
    .then((told) => process.send?.(told));
});
process.on('disconnect', () => process.exit(0));

function toTold(error: unknown): Told {
  if (!(error instanceof Error)) return { kind: 'error', texts: [String(error)] };
  return { kind: 'kind' in error ? String(error.kind) : 'error', texts: [error.message] };
}
