import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  createToxicProxy,
  type ToxicProxy,
  ToxiproxyError,
} from '../../src/lab/drill/toxiproxy-client.js';
import {
  findToxiproxy,
  startToxiproxy,
  type Toxiproxy,
} from '../../src/lab/drill/toxiproxy-process.js';
import { runProgram } from '../../src/lab/subprocess.js';
import { createUpstream } from '../../src/lab/upstream/index.js';

const go = await runProgram({ command: 'go', args: ['version'], timeoutMs: 20_000 });
const isBuilt = process.env.TOXIPROXY_PATH !== undefined;
// Toxiproxy is a program of Go's and is built where it is missing
const skip = go.code === 0 || isBuilt ? false : 'there is no Go to build Toxiproxy with';

describe('Toxiproxy before the lab upstream', { skip }, () => {
  const upstream = createUpstream({ oneRequestEach: true });
  let toxiproxy: Toxiproxy;
  let proxy: ToxicProxy;
  let url: string;

  before(async () => {
    const path = await findToxiproxy({ log: (line) => console.error(line) });
    toxiproxy = await startToxiproxy({ path, seed: 7 });
    const target = new URL((await upstream.start()).url).host;
    proxy = await createToxicProxy(toxiproxy.apiUrl, { name: 'shop', target });
    url = `http://${proxy.address}`;
  });
  after(async () => {
    await toxiproxy?.stop();
    await upstream.stop();
  });

  const lookUp = (timeoutMs = 5_000): Promise<number> =>
    fetch(`${url}/orders/ORD-1003`, { signal: AbortSignal.timeout(timeoutMs) }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      },
    );

  it('lets every request pass without toxics, each by a connection of its own', async () => {
    await upstream.reset();
    const answers = await Promise.all(Array.from({ length: 10 }, () => lookUp()));
    assert.deepEqual(new Set(answers), new Set([200]));
    assert.equal(upstream.requests().requests.length, 10);
  });

  it('holds an answer up for the latency', async () => {
    await proxy.setToxics([
      { type: 'latency', stream: 'downstream', toxicity: 1, attributes: { latency: 300 } },
    ]);
    const startedAt = performance.now();
    assert.equal(await lookUp(), 200);
    assert.ok(performance.now() - startedAt >= 295); // its timer counts whole milliseconds
  });

  it('drops a share of the requests, so that the upstream never sees them', async () => {
    await proxy.setToxics([
      { type: 'timeout', stream: 'upstream', toxicity: 0.5, attributes: { timeout: 0 } },
    ]);
    await upstream.reset();
    const ends = await Promise.allSettled(Array.from({ length: 40 }, () => lookUp(1_500)));
    const dropped = ends.filter(({ status }) => status === 'rejected').length;
    assert.ok(dropped > 0 && dropped < 40, `${dropped} of 40`);
    assert.equal(upstream.requests().requests.length, 40 - dropped);
  });

  it('loses an answer whose request has arrived', async () => {
    await proxy.setToxics([
      { type: 'timeout', stream: 'downstream', toxicity: 1, attributes: { timeout: 0 } },
    ]);
    await upstream.reset();
    await assert.rejects(lookUp(500), { name: 'TimeoutError' });
    assert.equal(upstream.requests().requests.length, 1);
  });

  it('resets a connection', async () => {
    await proxy.setToxics([
      { type: 'reset_peer', stream: 'downstream', toxicity: 1, attributes: { timeout: 0 } },
    ]);
    await assert.rejects(lookUp(), { name: 'TypeError' }); // what fetch throws where there is no answer
  });

  it('lets requests pass again when the toxics are gone', async () => {
    await proxy.setToxics([]);
    assert.equal(await lookUp(), 200);
  });

  it('says what it was asked and refused', async () => {
    const taken = createToxicProxy(toxiproxy.apiUrl, { name: 'shop', target: '127.0.0.1:1' });
    await assert.rejects(taken, (error) => {
      assert.ok(error instanceof ToxiproxyError);
      assert.equal(error.status, 409);
      return true;
    });
  });
});
