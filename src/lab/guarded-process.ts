import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A program that ends when this process ends, in whatever way. */
export type GuardedProcess = {
  readonly pid: number;
  /** Settles with the exit code when the program has ended. */
  readonly ended: Promise<number | null>;
  /** The first and the last 2,000 characters that it wrote, which is all where it wrote less. */
  readonly output: () => string;
  /** Stops it (SIGTERM, after 3 s SIGKILL) and waits for its end. */
  readonly stop: () => Promise<void>;
};

/** The program could not be run at all: the system's reason. */
export type NotRun = { readonly error: string };

/** How to run a program under a guard. */
export type GuardOptions = {
  /** @default this process's environment */
  readonly env?: NodeJS.ProcessEnv;
  /** Hears what the program writes, piece by piece. */
  readonly onOutput?: (text: string) => void;
};

const keptCharacters = 2_000;

/**
 * Runs a program under a guard (process-guard.ts), in a process group of its own so that Ctrl-C in
 * a terminal reaches this process first. Neither keeps this process alive.
 */
export async function runGuarded(
  program: string,
  args: readonly string[],
  { env, onOutput }: GuardOptions = {},
): Promise<GuardedProcess | NotRun> {
  const guard = spawn(process.execPath, [guardScript(), program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    detached: true,
    ...(env === undefined ? {} : { env }),
  });
  // the head too: a crash tells its reason first, and a long stack trace follows
  let head = '';
  let tail = '';
  let isCut = false;
  const keep = (chunk: Buffer): void => {
    const text = chunk.toString('utf8');
    const forHead = text.slice(0, keptCharacters - head.length);
    head += forHead;
    tail += text.slice(forHead.length);
    isCut ||= tail.length > keptCharacters;
    tail = tail.slice(-keptCharacters);
    onOutput?.(text);
  };
  guard.stdout?.on('data', keep);
  guard.stderr?.on('data', keep);
  guard.stdin?.on('error', () => {}); // the guard has ended: `ended` says so

  const ended = new Promise<number | null>((resolve) => {
    guard.once('close', (code) => resolve(code));
  });
  const started = await firstMessage(guard);
  if ('error' in started) {
    await ended;
    return started;
  }
  letGo(guard);
  return {
    pid: started.pid,
    ended,
    output: () => `${head}${isCut ? '\n...\n' : ''}${tail}`.trim(),
    stop: async () => {
      guard.ref();
      guard.stdin?.end();
      await ended;
    },
  };
}

function guardScript(): string {
  return fileURLToPath(new URL('./process-guard.js', import.meta.url));
}

async function firstMessage(guard: ChildProcess): Promise<{ readonly pid: number } | NotRun> {
  const lost = once(guard, 'close').then(() => ({ error: 'its guard ended' }));
  const told = once(guard, 'message').then(([message]) => {
    // the guard sends nothing else: process-guard.ts
    return message as { readonly pid: number } | NotRun;
  });
  return Promise.race([told, lost]);
}

/** A child and its pipes keep the event loop alive unless each of them is unreferenced. */
function letGo(guard: ChildProcess): void {
  guard.channel?.unref();
  guard.unref();
  for (const stream of [guard.stdin, guard.stdout, guard.stderr]) {
    // a child's pipes are sockets, though their declared type is a plain stream
    (stream as { unref?: () => void } | null)?.unref?.();
  }
}
