import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { UsageError } from '../cli-errors.js';

/**
 * Returns the JSON value that `--result` names: itself, `@file`, or `-` for standard input.
 * @throws UsageError where there is no such file, or it isn't JSON
 */
export async function readResult(source: string): Promise<unknown> {
  const json = await read(source);
  try {
    return JSON.parse(json);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(
      `--result takes JSON, @file or -; what it names isn't JSON: ${reason}. A text needs its quotes: --result '"sent"'.`,
      { cause },
    );
  }
}

async function read(source: string): Promise<string> {
  if (source === '-') return text(process.stdin);
  if (!source.startsWith('@')) return source;
  try {
    return await readFile(source.slice(1), 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`--result ${source} can't be read: ${reason}`, { cause });
  }
}
