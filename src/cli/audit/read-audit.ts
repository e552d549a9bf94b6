import { addRun } from '../../history/audit/audit.js';
import type { Progress } from '../output.js';
import type { RunSource } from './run-source.js';
import { newAudit, readSaved, type SavedAudit, writeSaved } from './saved-audit.js';

/** How an audit is read. */
export type ReadOptions = {
  /** The file to go on from, and to save in. */
  readonly statePath?: string;
  /** Runs after which it ends; the next call goes on where this one ended. */
  readonly limit?: number;
  readonly progress: Progress;
  /** Hears in a line of what could not be read, and where nothing was. */
  readonly tell: (line: string) => void;
};

/**
 * Reads a source's runs into an audit, page by page. With a state file it goes on where an earlier call ended or was
 * killed; no run is counted twice, since what was learned and where to go on are saved in one piece.
 */
export async function readAudit(source: RunSource, options: ReadOptions): Promise<SavedAudit> {
  const { statePath, limit = Infinity, progress, tell } = options;
  let saved =
    statePath === undefined ? newAudit(source.name) : await readSaved(statePath, source.name);
  if (saved.isDone) {
    tell(`note: ${statePath} is of an audit that was read to its end: no newer run is in it.`);
    return saved;
  }
  const all = await source.count();
  const before = saved.audit.runs;
  while (!saved.isDone && saved.audit.runs - before < limit) {
    const page = await source.page(saved.cursor);
    for (const reason of page.skipped) tell(`left out: ${reason}`);
    saved = {
      ...saved,
      cursor: page.next,
      isDone: page.next === null,
      skipped: saved.skipped + page.skipped.length,
      audit: page.runs.reduce(addRun, saved.audit),
    };
    if (statePath !== undefined) await writeSaved(statePath, saved);
    progress.show(`${saved.audit.runs}${all === null ? '' : ` of ${all}`} runs read`);
  }
  progress.end();
  return saved;
}
