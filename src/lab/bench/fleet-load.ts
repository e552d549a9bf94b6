import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What a process of clients is told. */
export type ClientsOrder = {
  readonly connectionString: string;
  readonly clients: number;
  /** Of these clients together. */
  readonly callsPerSecond: number;
  readonly seconds: number;
  readonly seed: number;
};

/** When calls began and attempts were sent, in epoch milliseconds. */
export type ClientsSeen = {
  readonly calls: readonly number[];
  readonly attempts: readonly number[];
};

/** What a process's clients did with the fleet's window, and what as many did each with its own. */
export type SeenBySide = {
  readonly fleet: ClientsSeen;
  readonly alone: ClientsSeen;
  /** Times that a client found the store giving no answer. */
  readonly fallbacks: number;
};

/** Attempts that a downstream saw for each call, once a hundred had been sent. */
export type FleetLoad = {
  readonly fleet: number;
  readonly alone: number;
  readonly fallbacks: number;
};

const processes = 4;
const minSamples = 100;

/** Runs clients over four processes, which make 100 calls a second together, for so many seconds. */
export async function measureFleet(
  order: Omit<ClientsOrder, 'callsPerSecond' | 'seed'>,
): Promise<FleetLoad> {
  const seen = await Promise.all(
    Array.from({ length: processes }, (_, index) => {
      const clients = shareOf(order.clients, index);
      const callsPerSecond = (100 * clients) / order.clients;
      return startClients({ ...order, clients, callsPerSecond, seed: index + 1 });
    }),
  ).then((started) => Promise.all(started.map((run) => run())));
  return {
    fleet: loadOf(seen.map(({ fleet }) => fleet)),
    alone: loadOf(seen.map(({ alone }) => alone)),
    fallbacks: seen.reduce((sum, { fallbacks }) => sum + fallbacks, 0),
  };
}

function shareOf(clients: number, index: number): number {
  return Math.floor(clients / processes) + (index < clients % processes ? 1 : 0);
}

/** Starts a process, and returns what lets its clients begin when all of them are there. */
async function startClients(order: ClientsOrder): Promise<() => Promise<SeenBySide>> {
  const script = fileURLToPath(new URL('./fleet-process.js', import.meta.url));
  const child = fork(script, [JSON.stringify(order)]);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`a process of clients ended with ${code}`);
  });
  ended.catch(() => {}); // it is meant to end when its figures are there
  await Promise.race([once(child, 'message'), ended]);
  return async () => {
    child.send('begin');
    const [seen] = await Promise.race([once(child, 'message'), ended]);
    child.disconnect();
    return seen as SeenBySide; // fleet-process.ts sends nothing else
  };
}

function loadOf(seen: readonly ClientsSeen[]): number {
  const attempts = seen.flatMap((one) => one.attempts).toSorted((one, other) => one - other);
  const fromMs = attempts[minSamples] ?? Number.NaN;
  const calls = seen.flatMap((one) => one.calls).filter((atMs) => atMs >= fromMs);
  return attempts.filter((atMs) => atMs >= fromMs).length / calls.length;
}
