import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runHoldfast } from '../support/holdfast-command.js';
import { readmeCommands } from '../support/readme-block.js';
import { startTestServer } from '../support/server.js';
import { settleEffect, unknownEnd } from './fixture/effects.js';
import { sqliteStore } from './fixture/stores.js';

const store = sqliteStore();
let server: Awaited<ReturnType<typeof startTestServer>>;
before(async () => {
  await store.start();
  server = await startTestServer();
});
after(async () => {
  await server.stop();
  await store.stop();
});

/** The arguments of a line of the README, where one of them may stand in single quotes. */
function argsOf(line: string): readonly string[] {
  const words = line.match(/'[^']*'|\S+/g) ?? [];
  return words.slice(2).map((word) => word.replace(/^'|'$/g, ''));
}

describe('holdfast ledger, as the README shows it', () => {
  const [first = '', ...lines] = readmeCommands('ledger');

  it('is told by a variable where the ledger is', () => {
    assert.match(first, /^export HOLDFAST_LEDGER=/);
  });

  for (const line of lines) {
    it(`runs ${line}`, async () => {
      const { ledger, address } = await store.open();
      const key = '5d41402abc4b'.padEnd(64, '0');
      await settleEffect(ledger, 'readme', unknownEnd, { key, leaseMs: 1 });
      await ledger.close();
      const env = { HOLDFAST_LEDGER: address, TEMPORAL_ADDRESS: server.address };
      const { code, stderr } = await runHoldfast(argsOf(line), { env });
      assert.equal(code, 0, stderr);
    });
  }
});
