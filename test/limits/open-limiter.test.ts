import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openLimiter } from '../../src/limits/index.js';

describe('the address of a limiter', () => {
  it('may be memory', async () => {
    const limiter = await openLimiter('memory');
    assert.equal(limiter.kind, 'memory');
    await limiter.close();
  });

  it('may be a PostgreSQL server, which has to be there', async () => {
    await assert.rejects(openLimiter('postgres://nobody:secret@127.0.0.1:1/none'), {
      kind: 'limiter-unavailable',
      operation: 'open',
    });
  });

  for (const address of ['', 'redis://nobody:secret@somewhere', 'postgres://[', 'limits.db']) {
    it(`is nothing else: ${JSON.stringify(address)}`, async () => {
      await assert.rejects(openLimiter(address), (error: unknown) => {
        assert.ok(error instanceof Error && 'kind' in error && error.kind === 'invalid-request');
        assert.ok(!error.message.includes('secret'));
        return true;
      });
    });
  }
});
