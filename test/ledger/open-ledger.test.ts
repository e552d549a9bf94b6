import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openLedger, readLedgerAddress } from 'holdfast/ledger';

describe('the address of a ledger', () => {
  for (const [address, read] of [
    ['postgres://a@b/c', { kind: 'postgres', connectionString: 'postgres://a@b/c' }],
    ['postgresql://a@b/c', { kind: 'postgres', connectionString: 'postgresql://a@b/c' }],
    ['ledger.db', { kind: 'sqlite', path: 'ledger.db' }],
    ['sqlite:ledger.db', { kind: 'sqlite', path: 'ledger.db' }],
    [':memory:', { kind: 'sqlite', path: ':memory:' }],
  ] as const) {
    it(`is read: ${address}`, () => {
      assert.deepEqual(readLedgerAddress(address), read);
    });
  }

  it('opens the store that it names', async () => {
    const ledger = await openLedger(':memory:');
    assert.equal(ledger.kind, 'sqlite');
    await ledger.close();
  });

  for (const address of ['', 'mysql://root:secret@db/x', 'postgres://[']) {
    it(`is refused, and its password isn’t told: ${address}`, async () => {
      const error: unknown = await openLedger(address).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof Error);
      assert.equal((error as { field?: string }).field, 'address');
      assert.doesNotMatch(error.message, /secret/);
    });
  }
});
