import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { InvalidRequestError } from '../budget/errors.js';
import type { FilePlace, ItemLine, ItemPage, ReadItems } from '../contract/batch.js';
import { namesNumber, parseRanges } from '../contract/item-ranges.js';
import { type FileLine, fileLines } from './file-lines.js';

/** Items of one page: few enough to stand in a workflow's history together. */
const PAGE_ITEMS = 100;
const PAGE_BYTES = 500_000;
/** Bytes that are read for one page where its items lie far apart. */
const PAGE_READS = 50_000_000;

/** Reads a page of a batch's items. */
export type ReadItemsActivity = (asked: ReadItems) => Promise<ItemPage>;

/**
 * Makes the activity that reads items from files of JSON Lines below a folder, and nowhere else.
 * It throws InvalidRequestError, which no retry mends, for a file that lies elsewhere or isn't there. Without a folder
 * it fails so that another worker may be asked.
 */
export function createReadItems(folder: string | undefined): ReadItemsActivity {
  return async ({ file, from, only }) => {
    if (folder === undefined) {
      const rule = 'batch.file needs a folder at the worker: holdfast({ batchFolder })';
      throw ApplicationFailure.retryable(rule, 'batch-folder-missing');
    }
    const handle = await openBelow(folder, file);
    try {
      return await readPage(handle, from, only);
    } finally {
      await handle.close();
    }
  };
}

async function readPage(handle: FileHandle, from: FilePlace, only: string): Promise<ItemPage> {
  const wanted = parseRanges(only) ?? [];
  const lastWanted = wanted.at(-1)?.last ?? 0;
  const lines: ItemLine[] = [];
  let bytes = 0;
  let next = from;
  for await (const line of fileLines(handle, from)) {
    const { at, length } = line;
    const isFull = lines.length >= PAGE_ITEMS || (bytes > 0 && bytes + length > PAGE_BYTES);
    const isFar = at.offset - from.offset > PAGE_READS;
    if (isFull || isFar || at.line > lastWanted) return { lines, next: at, isEnd: false };
    next = { offset: at.offset + length + 1, line: at.line + 1 };
    if (!namesNumber(wanted, at.line)) continue;
    const read = itemOf(line);
    if (read === undefined) continue;
    lines.push(read);
    bytes += length;
  }
  return { lines, next, isEnd: true };
}

/** Returns the item of a line; undefined for a blank one. */
function itemOf({ at, text }: FileLine): ItemLine | undefined {
  if (text.kind !== 'text') return { at, kind: 'fault', fault: `line ${at.line} ${text.kind}` };
  if (text.text.trim() === '') return undefined;
  try {
    return { at, kind: 'item', item: JSON.parse(text.text) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { at, kind: 'fault', fault: `line ${at.line} is not JSON: ${why}` };
  }
}

/** @throws InvalidRequestError for a path that leads out of the folder, by `..`, by its root or by a link */
async function openBelow(folder: string, file: string): Promise<FileHandle> {
  const outside = 'must lie below the folder that the worker reads batches from';
  const path = resolve(folder, file);
  // By its words first: what lies elsewhere isn't even looked for.
  if (!isBelow(resolve(folder), path)) throw refused(file, outside);
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) throw refused(file, 'must be there');
  if (!isBelow(await realpath(folder), real)) throw refused(file, outside);
  // Before it is opened: a pipe would keep the reader waiting for a writer.
  if (!(await stat(real)).isFile()) throw refused(file, 'must be a file');
  return open(real, 'r');
}

function refused(file: string, rule: string): InvalidRequestError {
  return new InvalidRequestError([{ field: 'batch.file', rule, value: file }]);
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
