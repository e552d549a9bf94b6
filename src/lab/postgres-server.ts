import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { HoldfastError } from '../budget/errors.js';
import { freePort } from './free-port.js';
import { type GuardedProcess, runGuarded } from './guarded-process.js';
import { runProgram } from './subprocess.js';

/** A PostgreSQL server of this process's own, on 127.0.0.1, with data of its own. */
export type PostgresServer = {
  /** The database `postgres`, with its owner's password. */
  readonly url: string;
  /** Makes an empty database and returns its address. */
  readonly createDatabase: () => Promise<string>;
  /** Ends the server as a crash would, connections and all. */
  readonly kill: () => Promise<void>;
  /** Starts it again on the same port with what it had stored, after a `kill` where it still runs. */
  readonly restart: () => Promise<void>;
  /** Stops it and removes its data. */
  readonly stop: () => Promise<void>;
};

/** This machine has no PostgreSQL programs. */
export class PostgresMissingError extends HoldfastError {
  readonly kind = 'postgres-missing';
  override readonly name = 'PostgresMissingError';
}

const user = 'holdfast';
const readyWithinMs = 60_000;

/**
 * Starts a server from this machine's PostgreSQL programs; it ends with this process, in whatever way.
 * @throws PostgresMissingError where there are none
 */
export async function startPostgresServer(
  options: {
    /** `name=value` each, beside the server's defaults. */
    readonly settings?: readonly string[];
  } = {},
): Promise<PostgresServer> {
  const { settings = [] } = options;
  const programs = findPrograms();
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-postgres-'));
  const data = join(folder, 'data');
  const password = randomBytes(12).toString('hex');
  await initialise({ programs, folder, data, password });
  const port = await freePort();
  const url = `postgres://${user}:${password}@127.0.0.1:${port}/postgres`;
  const start = (): Promise<GuardedProcess> => startServer({ programs, data, settings, port, url });

  let server = await start();
  let databases = 0;
  const kill = async (signal: 'SIGKILL' | 'SIGINT'): Promise<void> => {
    if (isRunning(server.pid)) process.kill(server.pid, signal);
    const awake = setInterval(() => {}, 1_000); // a guarded process holds no test awake
    await server.ended;
    clearInterval(awake);
  };
  return {
    url,
    createDatabase: async () => {
      databases += 1;
      const name = `ledger_${databases}`;
      await query(url, `create database ${name}`);
      return url.replace(/postgres$/, name);
    },
    kill: () => kill('SIGKILL'),
    restart: async () => {
      await kill('SIGKILL');
      server = await start();
    },
    stop: async () => {
      await kill('SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Place = {
  /** Where the programs are. */
  readonly programs: string;
  readonly data: string;
};

async function initialise(
  place: Place & { readonly folder: string; readonly password: string },
): Promise<void> {
  const passwordFile = join(place.folder, 'password');
  await writeFile(passwordFile, place.password);
  await chmod(passwordFile, 0o644);
  await chmod(place.folder, 0o777); // the server's user is another one where this is root
  const [command, ...args] = asOwner(join(place.programs, 'initdb'), [
    ...['--pgdata', place.data, '--username', user, '--pwfile', passwordFile],
    ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C', '--no-sync'],
  ]);
  const { code, output } = await runProgram({ command, args, timeoutMs: readyWithinMs });
  if (code !== 0) throw new Error(`initdb failed: ${output}`);
}

async function startServer(
  place: Place & {
    readonly settings: readonly string[];
    readonly port: number;
    readonly url: string;
  },
): Promise<GuardedProcess> {
  const [program, ...args] = asOwner(join(place.programs, 'postgres'), [
    ...['-D', place.data, '-p', String(place.port), '-h', '127.0.0.1'],
    ...['-c', 'unix_socket_directories='],
    ...place.settings.flatMap((setting) => ['-c', setting]),
  ]);
  const server = await runGuarded(program, args);
  if ('error' in server) throw new Error(`${program} can't be run: ${server.error}`);
  let hasEnded = false;
  void server.ended.then(() => {
    hasEnded = true; // only told to the loop below
  });
  const until = performance.now() + readyWithinMs;
  for (;;) {
    try {
      await query(place.url, 'select 1');
      return server;
    } catch (error) {
      if (hasEnded) throw new Error(`PostgreSQL ended: ${server.output()}`);
      if (performance.now() > until) throw error;
      await sleep(50);
    }
  }
}

/** PostgreSQL refuses to run as root; setpriv becomes the program, so that signals reach it. */
function asOwner(program: string, args: readonly string[]): readonly [string, ...string[]] {
  if (process.getuid?.() !== 0) return [program, ...args];
  const owner = ['--reuid=postgres', '--regid=postgres', '--init-groups', '--'];
  return ['setpriv', ...owner, program, ...args];
}

function findPrograms(): string {
  const folders = process.env.HOLDFAST_POSTGRES_BIN
    ? [process.env.HOLDFAST_POSTGRES_BIN]
    : [...(process.env.PATH ?? '').split(delimiter), ...debianFolders()];
  const found = folders
    .filter((folder) => folder !== '')
    .find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))));
  if (found !== undefined) return found;
  throw new PostgresMissingError(
    'PostgreSQL is not here: install the Debian package postgresql, or put the folder of initdb ' +
      'and postgres on the PATH or into HOLDFAST_POSTGRES_BIN.',
  );
}

function debianFolders(): readonly string[] {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort().reverse() : [];
  return versions.map((version) => join(debian, version, 'bin'));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // no such process
  }
}

async function query(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {}); // the query's own failure tells
  try {
    await client.connect();
    await client.query(text);
  } finally {
    await client.end().catch(() => {}); // it may never have connected
  }
}
