import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { link, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { mapAtOnce } from '../../src/cli/audit/run-source.js';
import { runHoldfast } from '../support/holdfast-command.js';
import { readmeCommands } from '../support/readme-block.js';
import { projectFile } from '../support/root.js';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-audit-'));
});
after(() => rm(folder, { recursive: true }));

describe('holdfast audit of a folder', () => {
  it('refuses one without histories: whoever mistypes it is not told that all is well', async () => {
    const empty = join(folder, 'empty');
    await mkdir(empty);
    const { code, stderr } = await runHoldfast(['audit', '--histories', empty, '--fail-on', 'low']);
    assert.equal(code, 2);
    assert.match(stderr, /holds no \.json file/);
  });

  it('goes on in a folder where it ended, and refuses a state that is damaged or of something else', async () => {
    const few = join(folder, 'few');
    await mkdir(few);
    const first = join(few, '000.json');
    await writeFile(first, await readFile(projectFile('test/histories/success.json')));
    const others = Array.from({ length: 119 }, (_, index) => `${index + 1}`.padStart(3, '0'));
    await mapAtOnce(others, 20, (name) => link(first, join(few, `${name}.json`)));
    const state = join(folder, 'state.json');
    const args = ['audit', '--histories', few, '--state', state, '--json'];
    const some = JSON.parse((await runHoldfast([...args, '--limit', '1'])).stdout);
    assert.deepEqual([some.runs, some.isDone], [50, false]); // it reads whole pages
    const all = JSON.parse((await runHoldfast(args)).stdout);
    assert.deepEqual([all.runs, all.isDone], [120, true]);
    const whole = await readFile(state, 'utf8');
    for (const damaged of [whole.replace('"runs":120', '"runs":121'), whole.slice(0, -9), '{}']) {
      assert.notEqual(damaged, whole);
      await writeFile(state, damaged);
      const { code, stderr } = await runHoldfast(args);
      assert.equal(code, 2);
      assert.match(stderr, /holds no whole state of an audit/);
    }
  });

  it('fails on nothing read where it is to fail on findings', async () => {
    const broken = join(folder, 'broken');
    await mkdir(broken);
    await writeFile(join(broken, 'one.json'), '{"events": 7}');
    await promisify(execFile)('mkfifo', [join(broken, 'pipe.json')]); // nobody writes into it
    const { code, stderr } = await runHoldfast([
      ...['audit', '--histories', broken, '--fail-on', 'high'],
    ]);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /No run was read, so none was checked \(--fail-on\)\. 2 could not be read\./,
    );
  });

  it('reads 10,000 histories of a folder in little memory, and leaves out what is none', async () => {
    const many = join(folder, 'many');
    await mkdir(many);
    const history = await readFile(projectFile('test/histories/loop-answered.json'));
    const first = join(many, '00000.json');
    await writeFile(first, history);
    const names = Array.from({ length: 9_999 }, (_, index) => `${index + 1}`.padStart(5, '0'));
    await mapAtOnce(names, 50, (name) => link(first, join(many, `${name}.json`)));
    await writeFile(join(many, 'broken.json'), '{"events": 7}');
    // the activities of 10,000 such runs alone would take more than 150 MB
    const ended = await runHoldfast(['audit', '--histories', many, '--json'], {
      env: { NODE_OPTIONS: '--max-old-space-size=64' },
    });
    assert.equal(ended.code, 0, ended.stderr.slice(-2_000));
    const found = JSON.parse(ended.stdout);
    assert.deepEqual([found.runs, found.skipped], [10_000, 1]);
    assert.match(ended.stderr, /left out: broken\.json holds no history/);
  });

  it('runs as the README shows it', async () => {
    const places: Readonly<Record<string, string>> = {
      'nodes.json': join(folder, 'nodes.json'),
      'audit.html': join(folder, 'audit.html'),
    };
    for (const line of readmeCommands('audit').flatMap((line) => line.split(' && '))) {
      const [, , ...args] = line.trim().split(/\s+/);
      const placed = args.map(
        (arg) => places[arg] ?? (arg.startsWith('examples/') ? projectFile(arg) : arg),
      );
      const { code, stderr } = await runHoldfast(placed);
      assert.equal(code, 0, stderr);
    }
    assert.match(await readFile(join(folder, 'audit.html'), 'utf8'), /<h1[^>]*>Audit of /);
  });
});
