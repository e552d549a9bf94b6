import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LedgerOrder } from './ledger-process.js';
import { startLedgerProcess } from './ledger-process.js';

const rounds = 1_000;
const keysAtOnce = 10;

/** Where both processes find the ledger. */
export type RaceTarget = Omit<Extract<LedgerOrder, { readonly kind: 'open' }>, 'kind'>;

/**
 * Lets two processes ask for one key at the same moment, 1,000 times, and counts the effects where they
 * arrive; the second process's clock is off by so much.
 */
export async function assertOneEffectEach(target: RaceTarget, clockOffMs: number): Promise<void> {
  const effects = await startCounter();
  const racers = [startLedgerProcess(), startLedgerProcess(clockOffMs)] as const;
  const won = [0, 0];
  try {
    for (const racer of racers) {
      assert.deepEqual(await racer.tell({ kind: 'open', ...target }), {
        kind: 'opened',
        texts: [],
      });
    }
    for (let round = 0; round < rounds; round += keysAtOnce) {
      const keys = Array.from({ length: keysAtOnce }, (_, index) => `key-${round + index}`);
      const order: LedgerOrder = { kind: 'race', keys, effectUrl: effects.url };
      // who is told first changes, so that neither wins by its place
      const turns = (round / keysAtOnce) % 2 === 0 ? [0, 1] : [1, 0];
      await Promise.all(
        turns.map(async (index) => {
          const told = await racers[index === 0 ? 0 : 1].tell(order);
          assert.equal(told.kind, 'raced', told.texts.join());
          for (const text of told.texts) {
            assert.match(text, /^(claimed|in-progress|replayed) (in-progress|replayed)$/);
            if (text.startsWith('claimed')) won[index] = (won[index] ?? 0) + 1;
          }
        }),
      );
    }
  } finally {
    for (const racer of racers) await racer.end();
    effects.close();
  }
  assert.deepEqual([...effects.counts.values()], Array(rounds).fill(1));
  assert.equal((won[0] ?? 0) + (won[1] ?? 0), rounds);
  assert.ok(
    won.every((wins) => wins > 0),
    `no race: ${won.join(' to ')}`,
  );
}

/** An upstream that causes an effect whenever it is asked. */
async function startCounter() {
  const counts = new Map<string, number>();
  const server = createServer((incoming, response) => {
    let key = '';
    incoming.setEncoding('utf8').on('data', (text: string) => {
      key += text;
    });
    incoming.on('end', () => {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a pipe
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, counts, close };
}
