import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { checkWritable, writeWhole } from '../../src/cli/write-file.js';
import { writeCharts, writePage } from '../../src/cli/write-page.js';
import { samplePage } from '../support/sample-page.js';

describe('a file that a command writes', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-write-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('replaces the earlier one, behind a link too, and leaves nothing else', async () => {
    const target = join(folder, 'target');
    await writeFile(target, 'earlier');
    await symlink(target, join(folder, 'link'));
    await writeWhole(join(folder, 'link'), 'later');
    assert.equal(await readFile(target, 'utf8'), 'later');
    assert.deepEqual(await readdir(folder), ['link', 'target']);
  });

  it('is written into where it is a device', async () => {
    await checkWritable('/dev/null');
    await writeWhole('/dev/null', 'gone');
  });

  const faulty = [
    { path: 'none/page.html', message: /there is no folder .*none\.$/ },
    { path: 'file/page.html', message: /file is no folder\.$/ },
    { path: '', message: /is a folder: name a file\.$/ },
  ];
  for (const { path, message } of faulty) {
    it(`is refused as the command line's fault: ${path || 'a folder'}`, async () => {
      await writeFile(join(folder, 'file'), '');
      const named = join(folder, path);
      await assert.rejects(checkWritable(named), { kind: 'usage', message });
      await assert.rejects(writeWhole(named, ''), { kind: 'usage', message });
    });
  }

  it('is never one of the name -, which is read as standard output', async () => {
    await assert.rejects(checkWritable('-'), { kind: 'usage', message: /name one\.$/ });
  });

  const isRoot = process.getuid?.() === 0;
  it('is refused where its folder may not be written', {
    skip: isRoot && 'root may write everywhere',
  }, async () => {
    const closed = await mkdtemp(join(folder, 'closed-'));
    await chmod(closed, 0o500);
    await assert.rejects(checkWritable(join(closed, 'page.html')), { kind: 'usage' });
  });

  it('may be a page, or the charts of one in a folder that it makes', async () => {
    await writePage(join(folder, 'page.html'), samplePage(''));
    assert.match(await readFile(join(folder, 'page.html'), 'utf8'), /^<!doctype html>/);
    const charts = join(folder, 'charts', 'of-today');
    const paths = await writeCharts(charts, samplePage('of ../../etc'));
    assert.deepEqual(paths, [
      join(charts, '01-calls-per-second-of-etc.png'),
      join(charts, '02-retries-by-activity.png'),
    ]);
    assert.deepEqual((await readdir(charts)).length, 2);
  });
});
