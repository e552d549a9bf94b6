import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type History, historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { RunState } from 'holdfast/contract';
import { projectFile } from './root.js';

/** A run as it went on a real server, and the state of its governor at its end. */
export type Recording = {
  /** The workflow's type. */
  readonly workflow: string;
  readonly workflowId: string;
  /** Null where the run was ungoverned. */
  readonly state: RunState | null;
  /** The history in the JSON form of Temporal's tools. */
  readonly history: object;
};

const folder = projectFile('test', 'histories');

/** Makes a recording of a history, without what tells where it was recorded. */
export function recordingOf(
  run: Omit<Recording, 'history'> & { readonly history: History },
): Recording {
  // a stack trace holds paths of this machine, and replay reads none
  const history: unknown = JSON.parse(historyToJSON(run.history), (key, value) =>
    key === 'stackTrace' ? '' : value,
  );
  return { ...run, history: history as object }; // a history is a JSON object
}

/** Writes a recording to `test/histories/<name>.json`. */
export async function saveRecording(name: string, recording: Recording): Promise<void> {
  await writeFile(fileOf(name), `${JSON.stringify(recording, null, 1)}\n`);
}

/** Returns the names of all recordings. */
export async function recordingNames(): Promise<string[]> {
  const files = await readdir(folder);
  return files
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length));
}

/** Returns a recording as it stands in its file. */
export async function readRecordingText(name: string): Promise<string> {
  return readFile(fileOf(name), 'utf8');
}

/** Returns a recording. */
export async function readRecording(name: string): Promise<Recording> {
  return JSON.parse(await readRecordingText(name)) as Recording; // saveRecording wrote it
}

function fileOf(name: string): string {
  return join(folder, `${name}.json`);
}
