import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Audit, initialAudit } from '../../history/audit/audit.js';
import { UsageError } from '../cli-errors.js';
import { writeWhole } from '../write-file.js';

/** How far an audit is: what it has learned, and where it goes on. Both are written at once. */
export type SavedAudit = {
  readonly source: string;
  readonly cursor: string | null;
  readonly isDone: boolean;
  readonly skipped: number;
  readonly audit: Audit;
};

/** An audit of a source that has read nothing. */
export function newAudit(source: string): SavedAudit {
  return { source, cursor: null, isDone: false, skipped: 0, audit: initialAudit };
}

/**
 * Returns what an earlier audit of the same source has saved; a new one where there is no file.
 * @throws UsageError for a file that is none, or is of another source
 */
export async function readSaved(path: string, source: string): Promise<SavedAudit> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new UsageError(
      `${path} can't be read: ${error instanceof Error ? error.message : error}`,
    );
  });
  if (text === undefined) return newAudit(source);
  const saved = parse(text);
  if (saved === undefined) {
    throw new UsageError(`${path} holds no whole state of an audit: name another file.`);
  }
  if (saved.source !== source) {
    throw new UsageError(
      `${path} is the state of another audit (${saved.source}): name another file, or remove it.`,
    );
  }
  return saved;
}

/** Writes the state whole: who is killed meanwhile leaves the one before. */
export async function writeSaved(path: string, saved: SavedAudit): Promise<void> {
  await writeWhole(path, JSON.stringify({ ...saved, sum: sumOf(saved) }));
}

/** The file is our own: that nothing in it has changed is what its sum says. */
function parse(text: string): SavedAudit | undefined {
  try {
    const { sum, ...saved } = JSON.parse(text) as SavedAudit & { readonly sum: unknown };
    return sum === sumOf(saved) ? saved : undefined;
  } catch {
    return undefined; // it isn't even JSON
  }
}

/** The version stands in the sum, so that a state of another one isn't taken for one of this. */
function sumOf(saved: SavedAudit): string {
  return createHash('sha256')
    .update(`holdfast audit 2 ${JSON.stringify(saved)}`)
    .digest('hex');
}
