import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MeteredModel, startMeteredModel } from '../../src/lab/demo/metered-model.js';
import { createUpstream } from '../../src/lab/upstream/index.js';

const request = { model: 'm', max_tokens: 50, messages: [{ role: 'user', content: 'hello' }] };

describe('the gate before a real model', () => {
  const provider = createUpstream();
  const gates: MeteredModel[] = [];
  let baseUrl = '';

  before(async () => {
    baseUrl = `${(await provider.start()).url}/v1`;
  });
  after(async () => {
    await Promise.all(gates.map((gate) => gate.stop()));
    await provider.stop();
  });

  async function gateWith(caps: { readonly maxCalls: number; readonly maxTokens: number }) {
    const gate = await startMeteredModel({ name: 'm', key: 'k', baseUrl, ...caps });
    gates.push(gate);
    const ask = (): Promise<Response> =>
      fetch(`${gate.url}/chat/completions`, { method: 'POST', body: JSON.stringify(request) });
    return { gate, ask };
  }

  it('passes answers on and books the tokens that the model reports', async () => {
    const { gate, ask } = await gateWith({ maxCalls: 2, maxTokens: 10_000 });
    const answer = (await (await ask()).json()) as { usage: { total_tokens: number } }; // the lab's form
    const { total_tokens: tokens } = answer.usage;
    const read = { calls: 1, tokens, refused: 0, answered: 1, lastFailure: null };
    assert.deepEqual(gate.read(), read);
  });

  it('refuses calls beyond the cap as a quota that no retry mends', async () => {
    const { gate, ask } = await gateWith({ maxCalls: 1, maxTokens: 10_000 });
    const answers = await Promise.all([ask(), ask(), ask()]);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 402, 402]);
    assert.deepEqual([gate.read().calls, gate.read().refused], [1, 2]);
  });

  it('counts calls in flight at the most that they could use', async () => {
    const { gate, ask } = await gateWith({ maxCalls: 10, maxTokens: 150 });
    provider.setFaults({ chat: { delay: { ms: 500 } } });
    await Promise.all([ask(), ask(), ask()]);
    assert.equal(gate.read().calls, 1);
    assert.ok(gate.read().tokens <= 150);
  });
});
