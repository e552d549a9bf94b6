import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { HoldfastError } from '../../budget/errors.js';
import { historyIn } from '../../history/history-in.js';
import { readRun } from '../../history/read-history.js';
import type { RunFacts } from '../../history/run-facts.js';
import { UsageError } from '../cli-errors.js';
import { readJsonInput } from '../json-input.js';
import { mapAtOnce, type RunSource, sorted } from './run-source.js';

const pageSize = 50;
/** Files that are read at once: one is parsed while the disk is asked for others. */
const atOnce = 4;

/**
 * Returns the runs whose histories stand in the JSON files of a folder, by the files' names.
 * @throws UsageError where the folder can't be read, or holds no such file
 */
export async function folderSource(folder: string): Promise<RunSource> {
  const names = await readdir(folder).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`The folder ${folder} can't be read: ${reason}`, { cause });
  });
  const files = names.filter((name) => name.endsWith('.json')).sort();
  if (files.length === 0) throw new UsageError(`The folder ${folder} holds no .json file.`);
  return {
    name: `folder ${resolve(folder)}`,
    count: async () => files.length,
    page: async (cursor) => {
      const begin = cursor === null ? 0 : files.findIndex((name) => name > cursor);
      const part = begin < 0 ? [] : files.slice(begin, begin + pageSize);
      const read = await mapAtOnce(part, atOnce, (name) => readFileRun(join(folder, name)));
      const last = part.at(-1);
      return {
        ...sorted(read),
        next: last === undefined || last === files.at(-1) ? null : last,
      };
    },
  };
}

/** One broken file doesn't hide the others. */
async function readFileRun(path: string): Promise<RunFacts | string> {
  try {
    const found = await stat(path).catch(() => undefined); // what isn't there is said where it is read
    if (found?.isFile() === false) return `${basename(path)} is no file`; // a pipe would wait for ever
    const history = historyIn(await readJsonInput(path));
    if (history === undefined)
      return `${basename(path)} holds no history: it has no list of events.`;
    const run = readRun(history);
    return run.workflowId === '' ? { ...run, workflowId: basename(path, '.json') } : run;
  } catch (error) {
    if (error instanceof HoldfastError) return error.message;
    throw error;
  }
}
