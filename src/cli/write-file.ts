import { randomUUID } from 'node:crypto';
import { access, constants, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { UsageError } from './cli-errors.js';
import { printable } from './printable.js';

/**
 * Writes a file whole or not at all: who reads it meanwhile sees the earlier one. What isn't a regular file,
 * such as a pipe, is written into. Throws `UsageError` where it can't be written.
 */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const { target, isReplaced } = await placeOf(path);
  if (!isReplaced) return await writeFile(target, content).catch(fail(path));
  const unfinished = `${target}.${randomUUID()}.tmp`; // beside it: a rename can't cross file systems
  try {
    await writeFile(unfinished, content);
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined); // the first error says more
    fail(path)(error);
  }
}

/** Returns when a file can be written, as far as can be told before. Throws `UsageError` otherwise. */
export async function checkWritable(path: string): Promise<void> {
  const { target, isReplaced } = await placeOf(path);
  await access(isReplaced ? `${dirname(target)}/.` : target, constants.W_OK).catch(fail(path));
}

/** Where the content goes, behind links, and whether it replaces a file or makes one. */
async function placeOf(path: string): Promise<{ target: string; isReplaced: boolean }> {
  if (path === '-')
    throw new UsageError('- is standard output, which takes no such file: name one.');
  const target = await realpath(path).catch(() => resolve(path));
  const found = await stat(target).catch(() => undefined);
  if (found?.isDirectory()) throw new UsageError(`${printable(path)} is a folder: name a file.`);
  return { target, isReplaced: found === undefined || found.isFile() };
}

function fail(path: string): (error: unknown) => never {
  return (error) => {
    throw new UsageError(`${printable(path)} can't be written: ${reason(error, path)}.`, {
      cause: error,
    });
  };
}

function reason(error: unknown, path: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return `there is no folder ${printable(dirname(path))}`;
  if (code === 'ENOTDIR') return `${printable(dirname(path))} is no folder`;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return 'its folder may not be written';
  if (code === 'ENOSPC') return 'the disk is full';
  return error instanceof Error ? printable(error.message) : String(error);
}
