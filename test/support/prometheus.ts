import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/lab/free-port.js';
import { runGuarded } from '../../src/lab/guarded-process.js';
import { projectFile } from './root.js';
import { until } from './until.js';

/** One value of an answer, with its labels. */
export type Sample = {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
};

/** A Prometheus that runs. */
export type Prometheus = {
  /** Asks for the present value of an expression. */
  readonly query: (expression: string) => Promise<readonly Sample[]>;
  /** Lists the values of a label among the series that match. */
  readonly labelValues: (series: string, label: string) => Promise<readonly string[]>;
  readonly stop: () => Promise<void>;
};

const missing =
  'This test needs Prometheus, and none is on the PATH: install it (Debian: apt-get install prometheus, ' +
  'which npm test does as root).';

/** Starts Prometheus with the project's own settings, for another target and every second. */
export async function startPrometheus(target: string): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-prometheus-'));
  const settings = await readFile(projectFile('deploy/prometheus/prometheus.yml'), 'utf8');
  const path = join(folder, 'prometheus.yml');
  const own = settings
    .replace("'upstream:9464'", `'${target}'`)
    .replaceAll('interval: 10s', 'interval: 1s')
    .replace('rules/*.yml', projectFile('deploy/prometheus/rules/*.yml'));
  await writeFile(path, own);
  const address = `127.0.0.1:${await freePort()}`;
  const started = await runGuarded('prometheus', [
    `--config.file=${path}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${address}`,
  ]);
  if ('error' in started) throw new Error(`${missing} (${started.error})`);
  const ask = async (ending: string, parameters: Record<string, string>): Promise<unknown> => {
    const url = `http://${address}/api/v1/${ending}?${new URLSearchParams(parameters)}`;
    const answer = await fetch(url);
    const body = (await answer.json()) as { readonly data?: unknown; readonly error?: string }; // its API
    if (!answer.ok) throw new Error(`${JSON.stringify(parameters)}: ${body.error}`);
    return body.data;
  };
  const prometheus: Prometheus = {
    query: async (query) => {
      const data = await ask('query', { query });
      return (data as { readonly result: readonly Sample[] }).result; // of a vector
    },
    labelValues: async (series, label) =>
      (await ask(`label/${label}/values`, { 'match[]': series })) as readonly string[], // its API
    stop: async () => {
      await started.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await until(async () => {
      const answer = await fetch(`http://${address}/-/ready`).catch(() => undefined);
      return answer?.ok === true;
    });
  } catch (error) {
    await prometheus.stop();
    throw new Error(`Prometheus didn't start: ${started.output()}`, { cause: error });
  }
  return prometheus;
}
