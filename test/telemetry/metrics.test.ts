import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { type MetricName, metrics } from 'holdfast/telemetry';
import { freePort } from '../../src/lab/free-port.js';
import { type Prometheus, startPrometheus } from '../support/prometheus.js';
import { type Rig, startRig } from '../support/rig.js';
import { projectFile } from '../support/root.js';
import { implementations } from './fixture/implementations.js';
import type { Played, play, Script } from './fixture/workflows.js';

type Panel = {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
};
// the project's own dashboard
const dashboard = JSON.parse(
  readFileSync(projectFile('deploy/grafana/dashboards/holdfast.json'), 'utf8'),
) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { name: string; definition?: string }[] };
};

const names = Object.keys(metrics) as MetricName[]; // keys of the table
const calm = (tool: Script['calls'][number]['tool'], ...ends: Script['calls'][number]['ends']) => ({
  tool,
  id: `${tool} ${ends.join()}`,
  ends,
});

describe('a worker that exports its metrics', () => {
  const moments = new EventEmitter();
  const played: Played[] = [];
  let rig: Rig;
  let prometheus: Prometheus;
  let exported = '';

  before(async () => {
    const target = `127.0.0.1:${await freePort()}`;
    rig = await startRig({
      workflows: 'test/telemetry/fixture/workflows.js',
      implementations: implementations(() => moments.emit('slow')),
      dynamicConfig: { 'history.transferProcessorMaxPollRPS': '2000' },
      metrics: { prometheus: target },
    });
    prometheus = await startPrometheus(target);
    played.push(...(await round('a')));
    // a second round a while later gives every counter a rate
    await scraped('holdfast_runs_total');
    played.push(...(await round('b')));
    await scraped('holdfast_runs_total', 2);
    exported = await (await fetch(`http://${target}/metrics`)).text();
  });
  after(async () => {
    await prometheus?.stop();
    await rig?.stop();
  });

  async function start(script: Script): Promise<{ readonly result: () => Promise<Played> }> {
    return rig.client.workflow.start<typeof play>('play', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('play'),
      args: [script],
    });
  }

  async function run(script: Script): Promise<Played> {
    return (await start(script)).result();
  }

  async function round(name: string): Promise<readonly Played[]> {
    const ring = calm('ring', 'ok');
    const dial = calm('dial', 'server');
    const ends = [
      await run({
        calls: [calm('lookUp', 'ok'), calm('lookUp', 'server', 'ok'), calm('lookUp', 'auth')],
      }),
      await run({ calls: [calm('lookUp', 'server'), calm('ask', 'server', 'ok')] }),
      await run({ calls: [calm('lookUp', 'server'), calm('lookUp', 'server')] }),
      await run({
        calls: [calm('pay', 'ok'), calm('pay', 'ok'), calm('mail', 'timeout-of-a-write')],
      }),
      await run({ calls: [ring, { ...ring, id: 'other' }], atOnce: true }),
      await run({ calls: [{ ...dial, id: name }, dial] }),
    ];
    if (name === 'b') return ends;
    const isSlow = once(moments, 'slow');
    const slow = await start({ calls: [calm('lookUp', 'slow-once')] });
    await isSlow;
    await rig.worker.stop();
    await rig.startWorker();
    return [...ends, await slow.result()];
  }

  /** Waits until Prometheus has seen all runs, and seen them once more. */
  async function scraped(name: string, rounds = 1): Promise<void> {
    const all = async (): Promise<number> => {
      const [sample] = await prometheus.query(`sum(${name})`);
      return Number(sample?.value[1] ?? 0);
    };
    const wanted = played.length;
    for (let seen = 0; seen < rounds + 1; ) {
      if ((await all()) >= wanted) seen += 1;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  const sum = async (expression: string): Promise<number> => {
    const [sample] = await prometheus.query(`sum(${expression})`);
    return Number(sample?.value[1] ?? 0);
  };
  const total = (of: (one: Played) => number): number =>
    played.reduce((all, one) => all + of(one), 0);

  for (const name of names) {
    it(`exports ${name}, with its labels and its help`, () => {
      const { labels, description, kind } = metrics[name];
      const series = exported
        .split('\n')
        .find((line) => new RegExp(`^${name}(_count)?\\{`).test(line));
      assert.ok(series, `${name} is not among\n${exported}`);
      for (const label of labels) assert.match(series, new RegExp(`[{,]${label}="[^"]`));
      assert.ok(exported.includes(`# HELP ${name} ${description}`));
      assert.ok(exported.includes(`# TYPE ${name} ${kind === 'up-down' ? 'gauge' : kind}`));
    });
  }

  it('exports nothing of holdfast that the table does not have', () => {
    const found = [...exported.matchAll(/^# TYPE (holdfast_\S+)/gm)].map(([, name]) => name);
    assert.deepEqual([...found].sort(), [...names].sort());
  });

  it('gives no series a label of a single run', () => {
    assert.doesNotMatch(
      exported.replaceAll(/^(?!holdfast_).*$/gm, ''),
      /play-[0-9a-f]{8}|workflowId|runId/,
    );
  });

  it('counts what the runs themselves report', async () => {
    assert.equal(await sum('holdfast_runs_total'), played.length);
    assert.equal(
      await sum('holdfast_calls_total'),
      total(({ report }) => report.calls),
    );
    assert.equal(
      await sum('holdfast_used_retries_total'),
      total(({ report }) => report.retries),
    );
    assert.equal(
      await sum('holdfast_attempts_total{end!~"wait-.+|refused|replayed|interrupted|cancelled"}'),
      total(({ report }) => report.attempts),
    );
    // a retry may be decided and then refused by a breaker that has opened meanwhile
    const elsewhere = '{downstream!="exchange"}';
    const used = await sum(`holdfast_used_retries_total${elsewhere}`);
    assert.ok(used > 0);
    assert.equal(await sum(`holdfast_retries_total${elsewhere}`), used);
    const wasted = total(({ report }) => report.tokens.wasted);
    assert.ok(wasted > 0);
    assert.equal(await sum('holdfast_tokens_total{use="wasted"}'), wasted);
    assert.equal(await sum('holdfast_cost_micros_total{use="wasted"}'), wasted);
  });

  it('tells the ends apart', async () => {
    for (const [expression, wanted] of [
      ['holdfast_calls_total{outcome="unknown",tool="mail"}', 2],
      ['holdfast_ledger_claims_total{verdict="claimed",tool="pay"}', 2],
      ['holdfast_ledger_claims_total{verdict="replayed",tool="pay"}', 2],
      ['holdfast_attempts_total{end="auth"}', 2],
      ['holdfast_attempts_total{end="interrupted"}', 1],
      ['holdfast_retries_refused_total{reason="not-retryable",tool="look_up"}', 2],
      ['holdfast_self_inflicted_overloads_total', 2],
      ['holdfast_calls_in_flight', 0],
    ] as const) {
      assert.equal(await sum(expression), wanted, expression);
    }
    assert.ok((await sum('holdfast_worker_breaker_open{downstream="exchange"}')) >= 1);
    assert.equal(await sum('holdfast_worker_breaker_open{downstream="bank"}'), 0);
  });

  it('has data for every query of the dashboard', async () => {
    const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => [title, filledIn(expr)] as const),
    );
    assert.ok(queries.length >= 25);
    const empty: string[] = [];
    for (const [title, query] of queries) {
      if ((await prometheus.query(query)).length === 0) empty.push(`${title}: ${query}`);
    }
    assert.deepEqual(empty, []);
  });

  it('has values for every variable of the dashboard', async () => {
    for (const { name, definition } of dashboard.templating.list) {
      if (definition === undefined) continue;
      const [, series = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(definition) ?? [];
      assert.ok((await prometheus.labelValues(filledIn(series), label)).length > 0, name);
    }
  });
});

/** Does what Grafana does with a query before it asks. */
function filledIn(query: string): string {
  return query
    .replaceAll('$__rate_interval', '1m')
    .replaceAll('$__range', '1h')
    .replaceAll(/\$(namespace|downstream)/g, '.*');
}
