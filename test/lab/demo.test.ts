import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { DemoReport } from '../../src/lab/demo/report.js';
import { freePort } from '../../src/lab/free-port.js';
import { createUpstream } from '../../src/lab/upstream/index.js';
import { runModule, untilTrue } from '../support/run-module.js';

const main = 'src/lab/demo/main.js';
const { OPENAI_API_KEY: _key, OPENAI_BASE_URL: _url, ...withoutKey } = process.env;

describe('a run of the demo with four tickets', () => {
  let report: DemoReport;
  let progress = '';
  let code: number | null;

  before(async () => {
    const env = {
      ...withoutKey,
      OPENAI_API_KEY: 'set-by-chance',
      OPENAI_BASE_URL: 'http://[::1]:9',
    };
    const running = runModule(main, { args: ['--json', '--tickets', '4', '--seed', '3'], env });
    code = await running.ended;
    progress = running.stderr();
    report = JSON.parse(running.stdout()) as DemoReport; // what the demo prints
  });

  it('ends with 0', () => assert.equal(code, 0));

  it('shows four columns, holdfast last', () => {
    assert.deepEqual(
      report.columns.map(({ id }) => id),
      ['default', 'three', 'layers', 'holdfast'],
    );
  });

  it('doubles no effect with holdfast', () => {
    assert.equal(report.columns.at(-1)?.totals.doubledEffects, 0);
  });

  it('counts the requests that the upstream counted', () => {
    for (const { totals, upstream } of report.columns) {
      assert.equal(totals.requests, upstream.requests);
      assert.equal(totals.effects, upstream.effects);
    }
  });

  it('finds every effect of the upstream with a ticket', () => {
    for (const { totals, tickets } of report.columns) {
      assert.equal(
        tickets.reduce((sum, { effects }) => sum + effects, 0),
        totals.effects,
      );
    }
  });

  it('reports an end for each ticket', () => {
    for (const { tickets } of report.columns) assert.equal(tickets.length, 4);
  });

  it('names the worker that it kills and shows the plan', () => {
    assert.match(progress, /worker \d+ killed with SIGKILL/);
    assert.match(progress, /The plan of each ticket/);
  });

  it('leaves a key alone that happens to be set', () => {
    assert.equal(report.model, 'lab');
    assert.equal(report.meter, null);
  });

  it('links to the list of tickets', () => {
    assert.match(
      report.links.list,
      /^http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\?query=/,
    );
  });
});

describe('a run with a real model', () => {
  const model = createUpstream();
  let url = '';

  before(async () => {
    ({ url } = await model.start());
  });
  after(() => model.stop());

  it('keeps the cap on calls, counts what was used, and runs holdfast alone', async () => {
    const running = runModule(main, {
      args: ['--json', '--tickets', '3', '--model', 'some-model', '--max-calls', '4'],
      env: { ...withoutKey, OPENAI_API_KEY: 'secret', OPENAI_BASE_URL: `${url}/v1` },
    });
    assert.equal(await running.ended, 0, running.stderr());
    const report = JSON.parse(running.stdout()) as DemoReport; // what the demo prints
    assert.equal(report.model, 'some-model');
    assert.deepEqual(
      report.columns.map(({ id }) => id),
      ['holdfast'],
    );
    assert.equal(report.meter?.calls, 4);
    assert.equal(model.stats().totals.requests, 4);
    assert.ok((report.meter?.refused ?? 0) > 0);
    assert.match(running.stderr(), /at most 4 calls and 100000 tokens/);
    assert.doesNotMatch(running.stderr(), /the model answers 503/); // no outage of a real one is played
    assert.doesNotMatch(running.stderr() + running.stdout(), /secret/);
  });
});

describe('a real model that answers nothing', () => {
  it('ends the demo with 1 and a sentence that names its address and what to check', async () => {
    const address = `http://127.0.0.1:${await freePort()}/v1`;
    const running = runModule(main, {
      args: ['--tickets', '1', '--model', 'some-model'],
      env: { ...withoutKey, OPENAI_API_KEY: 'secret', OPENAI_BASE_URL: address },
    });
    assert.equal(await running.ended, 1);
    assert.match(running.stderr(), /answered no call \(connect ECONNREFUSED.*OPENAI_BASE_URL/);
    assert.ok(running.stderr().includes(address));
  });
});

describe('wrong use of the demo', () => {
  const wrong: readonly { readonly args: readonly string[]; readonly says: RegExp }[] = [
    { args: ['--what'], says: /--what.*--help/s },
    { args: ['--tickets', '0'], says: /--tickets must be a whole number from 1 to \d+, got 0/ },
    { args: ['--seed', 'one'], says: /--seed must be a whole number/ },
    { args: ['--ports', '1,2'], says: /--ports takes three ports/ },
    { args: ['--model', 'gpt'], says: /--model gpt needs a key: set OPENAI_API_KEY/ },
    { args: ['--max-calls', '3'], says: /need --model/ },
  ];
  for (const { args, says } of wrong) {
    it(`ends with 2 and one sentence for ${args.join(' ')}`, async () => {
      const running = runModule(main, { args, env: withoutKey });
      assert.equal(await running.ended, 2);
      assert.match(running.stderr(), says);
      assert.equal(running.stderr().trim().split('\n').length, 1);
    });
  }

  it('ends with 2 and one sentence for a base URL without http', async () => {
    const env = { ...withoutKey, OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'localhost:8080/v1' };
    const running = runModule(main, { args: ['--model', 'gpt'], env });
    assert.equal(await running.ended, 2);
    assert.match(running.stderr(), /^\s*OPENAI_BASE_URL must be a URL that begins with http/);
  });

  it('prints its options for --help', async () => {
    const running = runModule(main, { args: ['--help'] });
    assert.equal(await running.ended, 0);
    assert.match(running.stdout(), /--tickets <number>/);
  });

  it('names a port that is in use', async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => {
      blocker.listen(0, '127.0.0.1', resolve);
    });
    const { port } = blocker.address() as AddressInfo; // it listens on a port
    const ports = `${port},${await freePort()},${await freePort()}`;
    const running = runModule(main, { args: ['--ports', ports] });
    assert.equal(await running.ended, 1);
    assert.match(running.stderr(), new RegExp(`Port ${port} for the Temporal server is in use`));
    blocker.close();
  });
});

describe('an interrupted demo', () => {
  for (const [signal, expected] of [
    ['SIGINT', 130],
    ['SIGKILL', null],
  ] as const) {
    it(`leaves no process behind after ${signal}`, async () => {
      const running = runModule(main, { args: ['--tickets', '4'] });
      await untilTrue(() => running.stdout().includes('killed with SIGKILL'), running);
      const children = descendants(running.child.pid ?? 0);
      assert.ok(children.length >= 6, `${children.length} children`);
      running.child.kill(signal);
      assert.equal(await running.ended, expected, running.stderr());
      await untilTrue(() => children.every((pid) => !isAlive(pid)));
    });
  }
});

function descendants(root: number): readonly number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    rows.flatMap(([pid, ppid]) =>
      pid !== undefined && ppid === parent ? [pid, ...below(pid)] : [],
    );
  return below(root);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // no such process
  }
}
