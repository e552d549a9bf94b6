import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { InvalidRequestError } from 'holdfast';
import { createReadItems, type ReadItemsActivity } from '../../src/activities/read-items.js';
import type { FilePlace, ItemLine } from '../../src/contract/batch.js';

const start: FilePlace = { offset: 0, line: 1 };

let root: string;
let read: ReadItemsActivity;

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'holdfast-items-'));
  await mkdir(join(root, 'allowed', 'inner'), { recursive: true });
  await writeFile(join(root, 'secret.jsonl'), '{"secret":true}\n');
  await symlink(join(root, 'secret.jsonl'), join(root, 'allowed', 'link.jsonl'));
  await symlink(root, join(root, 'allowed', 'out'));
  read = createReadItems(join(root, 'allowed'));
});
after(() => rm(root, { recursive: true }));

const write = (name: string, content: string | Buffer): Promise<void> =>
  writeFile(join(root, 'allowed', name), content);

/** Reads a file to its end, page by page. */
async function readAll(file: string, only = '1-'): Promise<readonly (readonly ItemLine[])[]> {
  const pages: (readonly ItemLine[])[] = [];
  for (let from = start; ; ) {
    const { lines, next, isEnd } = await read({ file, from, only });
    pages.push(lines);
    if (isEnd || next.line === from.line) return pages;
    from = next;
  }
}

describe('a file of items', () => {
  it('is not read by a worker without a folder, which says what it needs', async () => {
    await assert.rejects(createReadItems(undefined)({ file: 'a.jsonl', from: start, only: '1-' }), {
      message: 'batch.file needs a folder at the worker: holdfast({ batchFolder })',
      nonRetryable: false,
    });
  });
  it('gives each line as an item, with its number and the offset of its first byte', async () => {
    await write('few.jsonl', '{"a":"ü"}\r\n\n  \n[2]\n"last, without an end"');
    const [lines] = await readAll('few.jsonl');
    assert.deepEqual(lines, [
      { at: { offset: 0, line: 1 }, kind: 'item', item: { a: 'ü' } },
      { at: { offset: 16, line: 4 }, kind: 'item', item: [2] },
      { at: { offset: 20, line: 5 }, kind: 'item', item: 'last, without an end' },
    ]);
  });

  it('comes in pages, which begin where the last one ended', async () => {
    const numbers = Array.from({ length: 250 }, (_, index) => index);
    await write('many.jsonl', numbers.join('\n'));
    const pages = await readAll('many.jsonl');
    assert.deepEqual(
      pages.map(({ length }) => length),
      [100, 100, 50],
    );
    assert.deepEqual(
      pages.flat().map((line) => line.kind === 'item' && line.item),
      numbers,
    );
  });

  it('comes in shorter pages where its lines are long', async () => {
    const line = JSON.stringify('x'.repeat(200_000));
    await write('long.jsonl', Array(5).fill(line).join('\n'));
    assert.deepEqual(
      (await readAll('long.jsonl')).map(({ length }) => length),
      [2, 2, 1],
    );
  });

  it('is read again from a place as it was the first time', async () => {
    await write('again.jsonl', '1\n22\n333\n4444\n');
    const [[, , third] = []] = await readAll('again.jsonl');
    assert.ok(third !== undefined);
    const { lines, next, isEnd } = await read({ file: 'again.jsonl', from: third.at, only: '1-' });
    assert.deepEqual(
      lines.map((line) => line.kind === 'item' && line.item),
      [333, 4444],
    );
    assert.deepEqual([next.line, isEnd], [5, true]);
    const behind = await read({ file: 'again.jsonl', from: next, only: '1-' });
    assert.deepEqual(behind.lines, []);
  });

  it('gives only the lines that are asked for', async () => {
    await write('some.jsonl', Array.from({ length: 400 }, (_, index) => index + 1).join('\n'));
    const pages = await readAll('some.jsonl', '3,120-121,399-');
    assert.deepEqual(
      pages.flat().map(({ at }) => at.line),
      [3, 120, 121, 399, 400],
    );
  });

  it('names a bad line, and goes on behind it', async () => {
    const parts = [
      Buffer.from('{"a":1}\n{"a":\n'),
      Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]),
      Buffer.from(`"${'x'.repeat(1_000_001)}"\n2\n`),
    ];
    await write('bad.jsonl', Buffer.concat(parts));
    const lines = (await readAll('bad.jsonl')).flat();
    const texts = lines.map((line) => (line.kind === 'item' ? line.item : line.fault));
    assert.deepEqual(texts[0], { a: 1 });
    assert.match(String(texts[1]), /^line 2 is not JSON: /);
    assert.equal(texts[2], 'line 3 is not UTF-8');
    assert.equal(texts[3], 'line 4 is too long');
    assert.equal(texts[4], 2);
  });

  it('may begin with a mark of its byte order, and may be empty', async () => {
    await write('marked.jsonl', '\ufeff{"a":1}');
    const [line] = (await readAll('marked.jsonl')).flat();
    assert.deepEqual(line?.kind === 'item' && line.item, { a: 1 });
    await write('empty.jsonl', '');
    assert.deepEqual(await readAll('empty.jsonl'), [[]]);
  });
});

describe('a file of items that is not read', () => {
  const outside = 'must lie below the folder that the worker reads batches from';
  const files: readonly (readonly [what: string, path: () => string, rule: string])[] = [
    ['lies above the folder', () => '../secret.jsonl', outside],
    ['leads out of it and is nowhere', () => '../../nothing', outside],
    ['has a root of its own', () => join(root, 'secret.jsonl'), outside],
    ['is the folder itself', () => '.', outside],
    ['is a link that leads out', () => 'link.jsonl', outside],
    ['lies behind a link that leads out', () => 'out/secret.jsonl', outside],
    ['is a folder', () => 'inner', 'must be a file'],
    ['isn’t there', () => 'nothing.jsonl', 'must be there'],
  ];
  for (const [what, path, rule] of files) {
    it(`${what}`, async () => {
      await assert.rejects(read({ file: path(), from: start, only: '1-' }), (error) => {
        const { kind, field, rule: said } = error as InvalidRequestError; // the activity throws nothing else
        assert.deepEqual([kind, field, said], ['invalid-request', 'batch.file', rule]);
        return true;
      });
    });
  }

  it('may be named by its whole path where that lies below', async () => {
    await write('whole.jsonl', '1');
    const { lines } = await read({
      file: join(root, 'allowed', 'whole.jsonl'),
      from: start,
      only: '1-',
    });
    assert.equal(lines.length, 1);
  });
});
