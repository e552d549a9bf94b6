import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { openSqlite } from '../../src/ledger/index.js';
import { claimEffect } from '../cli/fixture/effects.js';
import { runHoldfast } from '../support/holdfast-command.js';
import { projectFile } from '../support/root.js';

const manifest = JSON.parse(await readFile(projectFile('package.json'), 'utf8')) as Manifest; // our own

describe('the holdfast command', () => {
  it('is what the package installs, and runs by itself', async () => {
    const program = projectFile(manifest.bin.holdfast ?? '');
    assert.equal((await readFile(program, 'utf8')).split('\n')[0], '#!/usr/bin/env node');
    await inFolder(async (folder) => {
      const command = join(folder, 'holdfast');
      await chmod(program, 0o755); // as npm does where it installs a program
      await symlink(program, command);
      const { stdout } = await promisify(execFile)(command, ['--version']);
      assert.equal(stdout, `${manifest.version}\n`);
    });
  });

  it('says its version', async () => {
    const ended = await runHoldfast(['--version']);
    assert.deepEqual(ended, { code: 0, stdout: `${manifest.version}\n`, stderr: '' });
  });

  it('is a script of the project, too', () => {
    assert.equal(manifest.scripts.holdfast, `node ${manifest.bin.holdfast}`);
  });

  for (const args of [[], ['ledger']]) {
    it(`explains its exit codes: holdfast ${[...args, '--help'].join(' ')}`, async () => {
      const ended = await runHoldfast([...args, '--help']);
      assert.deepEqual([ended.code, ended.stderr], [0, '']);
      const codes = [...ended.stdout.matchAll(/^ {2}(\d+) +\w/gm)].map(([, code]) => code);
      assert.deepEqual(codes, ['0', '1', '2', '3', '4', '5', '70']);
    });
  }

  for (const command of ['list', 'show', 'settle', 'sweep']) {
    it(`gives examples: holdfast ledger ${command} --help`, async () => {
      const { stdout } = await runHoldfast(['ledger', command, '--help']);
      const examples = stdout.split('Examples:\n')[1]?.trimEnd().split('\n') ?? [];
      assert.ok(examples.length > 1);
      for (const example of examples) assert.ok(example.includes(`holdfast ledger ${command}`));
      assert.deepEqual(
        stdout.split('\n').filter((line) => line.length > 100),
        [],
      );
    });
  }

  const commands = [
    ...['plan', 'run', 'worker', 'replay', 'report', 'audit', 'drill', 'storm', 'doctor', 'ledger'],
  ];
  it('has no command that is missing here', async () => {
    const { stdout } = await runHoldfast(['--help']);
    const listed = [...stdout.matchAll(/^ {2}([a-z]+) (?:\[| )/gm)].map(([, name]) => name);
    assert.deepEqual(listed.filter((name) => name !== 'help').sort(), [...commands].sort());
  });

  for (const command of commands.filter((name) => name !== 'ledger')) {
    it(`gives examples in lines of 100 letters at most: holdfast ${command} --help`, async () => {
      const { code, stdout } = await runHoldfast([command, '--help']);
      assert.equal(code, 0);
      const examples = stdout.split('Examples:\n')[1]?.trimEnd().split('\n') ?? [];
      assert.ok(examples.filter((line) => line.includes(`holdfast ${command}`)).length > 1);
      assert.deepEqual(
        stdout.split('\n').filter((line) => line.length > 100),
        [],
      );
    });

    it(`refuses an option that it doesn’t have, as JSON too: holdfast ${command}`, async () => {
      const { code, stdout, stderr } = await runHoldfast([command, '--no-such-option', '--json']);
      assert.deepEqual([code, stdout], [2, '']);
      assert.equal(JSON.parse(stderr).error.kind, 'usage');
    });
  }

  it('ends quietly where its reader has read enough', async () => {
    await inFolder(async (folder) => {
      const path = join(folder, 'effects.db');
      const ledger = await openSqlite({ path });
      for (let effect = 0; effect < 300; effect++) await claimEffect(ledger, `effect ${effect}`);
      await ledger.close();
      const args = ['ledger', 'list', '--limit', '300', '--json', '--ledger', path];
      const child = spawn(process.execPath, [projectFile('dist/src/cli/main.js'), ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let stderr = '';
      child.stderr.on('data', (chunk: Buffer) => {
        stderr += chunk.toString('utf8');
      });
      child.stdout.destroy();
      const [code] = await once(child, 'close');
      assert.deepEqual([code, stderr], [0, '']);
    });
  });
});

type Manifest = {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
};

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-command-'));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
