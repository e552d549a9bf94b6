import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isPlainObject } from '../../contract/json.js';
import { isGone } from '../../history/fetch-run.js';
import { historyIn } from '../../history/history-in.js';
import { readRun } from '../../history/read-history.js';
import { NotFoundError, UsageError } from '../cli-errors.js';
import { readJsonInput } from '../json-input.js';
import {
  CONNECT_TIMEOUT_MS,
  readServerConfig,
  type ServerChoice,
  withClient,
} from '../temporal-client.js';

/** A history to replay. */
export type ReplaySource = {
  /** Its file's name, or the workflow's id. */
  readonly name: string;
  readonly workflowId: string;
  /** In the JSON form of Temporal's tools, or of protobuf. */
  readonly history: object;
  readonly events: number;
  /** What the governor's state is to be after the replay; undefined where nobody has noted it. */
  readonly state: unknown;
};

/**
 * Returns the histories that files, folders and workflows hold.
 * @throws UsageError for a file that can't be read or holds no history
 * @throws NotFoundError for a workflow that isn't there
 */
export async function historiesOf(
  paths: readonly string[],
  choice: ServerChoice & { readonly workflow: readonly string[] },
): Promise<readonly ReplaySource[]> {
  const files = (await Promise.all(paths.map(filesOf))).flat();
  const sources: ReplaySource[] = [];
  for (const file of files) sources.push(await readSource(file));
  return choice.workflow.length === 0 ? sources : [...sources, ...(await fetchSources(choice))];
}

async function filesOf(path: string): Promise<readonly string[]> {
  if (path === '-') return [path];
  const found = await stat(path).catch(() => undefined); // reading the file says what is wrong
  if (found?.isDirectory() !== true) return [path];
  const names = (await readdir(path)).filter((name) => name.endsWith('.json')).sort();
  if (names.length === 0) throw new UsageError(`The folder ${path} holds no .json file.`);
  return names.map((name) => join(path, name));
}

async function readSource(file: string): Promise<ReplaySource> {
  const document = await readJsonInput(file);
  const history = historyIn(document);
  const name = file === '-' ? 'standard input' : basename(file);
  if (history === undefined) {
    throw new UsageError(
      `${file === '-' ? name : file} holds no history: it has no list of events.`,
    );
  }
  const { workflowId, events } = readRun(history);
  const said = isPlainObject(document) ? document : {};
  return {
    name,
    workflowId: typeof said.workflowId === 'string' ? said.workflowId : workflowId,
    history,
    events,
    state: said.state,
  };
}

async function fetchSources(
  choice: ServerChoice & { readonly workflow: readonly string[] },
): Promise<readonly ReplaySource[]> {
  const server = readServerConfig(choice);
  return withClient(server, CONNECT_TIMEOUT_MS, async (client) => {
    const sources: ReplaySource[] = [];
    for (const workflowId of choice.workflow) {
      const history = await client.workflow
        .getHandle(workflowId)
        .fetchHistory()
        .catch((error: unknown) => {
          if (!isGone(error) && !isNamedGone(error)) throw error;
          throw new NotFoundError(
            `There is no workflow ${workflowId} in the namespace ${server.namespace}.`,
          );
        });
      const events = history.events?.length ?? 0;
      sources.push({ name: workflowId, workflowId, history, events, state: undefined });
    }
    return sources;
  });
}

/** The client has an error of its own for it. */
function isNamedGone(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkflowNotFoundError';
}
