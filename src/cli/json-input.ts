import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { InvalidRequestError } from '../budget/errors.js';
import { InvalidFileError, UsageError } from './cli-errors.js';

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Returns the JSON that stands in a file, or on standard input where the file is `-`.
 * @throws UsageError where it can't be read, or isn't JSON
 */
export async function readJsonInput(file: string): Promise<unknown> {
  const name = file === '-' ? 'standard input' : file;
  const json = await readText(file, name);
  try {
    return JSON.parse(json.startsWith(BYTE_ORDER_MARK) ? json.slice(1) : json);
  } catch (cause) {
    throw new UsageError(`${name} isn't JSON: ${messageOf(cause)}`, { cause });
  }
}

/** Runs a check of what stood in a file, and lets its refusal name the file. */
export function checkedFile<Result>(file: string, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    throw error instanceof InvalidRequestError ? new InvalidFileError(file, error) : error;
  }
}

async function readText(file: string, name: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`${name} can't be read: ${messageOf(cause)}`, { cause });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
