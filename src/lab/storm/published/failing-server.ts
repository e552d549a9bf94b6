import { EventQueue } from '../event-queue.js';
import { createRandom } from '../random.js';
import { Column, Slots } from '../slots.js';
import type { Allowance } from '../strategies/strategy.js';

/** Clients of a server that fails at chance, however much it is asked: the model of V97 and V98. */
export type FailingServer = {
  readonly seed: number;
  readonly clients: number;
  /** Of all clients together. */
  readonly callsPerSecond: number;
  readonly failureShare: number;
  readonly seconds: number;
  readonly maxAttempts: number;
  readonly allowance?: Allowance | undefined;
};

const meanTripMs = 10;
const happens = { callBegins: 0, serverAnswers: 1, succeeded: 2, failed: 3 } as const;

/** Returns the share of calls that succeed in percent, and the attempts for each call. */
export async function runFailingServer(
  setting: FailingServer,
): Promise<{ readonly successPercent: number; readonly load: number }> {
  const { clients, callsPerSecond, failureShare, maxAttempts, allowance } = setting;
  const random = createRandom(setting.seed);
  const events = new EventQueue();
  const calls = new Slots();
  const clientOf = new Column();
  const attemptsOf = new Column();
  const counts = { calls: 0, attempts: 0, successes: 0 };
  const tripEnds = (): number => events.atMs + random.exponential(meanTripMs);
  const send = async (call: number): Promise<void> => {
    counts.attempts += 1;
    attemptsOf.set(call, attemptsOf.get(call) + 1);
    allowance?.attemptSent?.(clientOf.get(call), events.atMs);
    events.plan(tripEnds(), happens.serverAnswers, call);
    await allowance?.settled?.();
  };
  const begin = (client: number): Promise<void> | undefined => {
    if (events.atMs > setting.seconds * 1_000) return undefined;
    const gapMs = random.exponential((1_000 * clients) / callsPerSecond);
    events.plan(events.atMs + gapMs, happens.callBegins, client);
    const call = calls.take();
    clientOf.set(call, client);
    attemptsOf.set(call, 0);
    counts.calls += 1;
    allowance?.callBegins?.(client);
    return send(call);
  };
  const fail = async (call: number): Promise<void> => {
    const client = clientOf.get(call);
    allowance?.attemptFailed?.(client);
    const hasAttempts = attemptsOf.get(call) < maxAttempts;
    const retries =
      hasAttempts && ((await allowance?.mayRetry(client, events.atMs, events.atMs)) ?? true);
    if (retries) await send(call);
    else calls.free(call);
  };
  for (let client = 0; client < clients; client++) {
    events.plan(random.exponential(meanTripMs), happens.callBegins, client);
  }
  while (events.next()) {
    const { kind, subject } = events;
    if (kind === happens.callBegins) await begin(subject);
    else if (kind === happens.failed) await fail(subject);
    else if (kind === happens.serverAnswers) {
      const outcome = random.next() < failureShare ? happens.failed : happens.succeeded;
      events.plan(tripEnds(), outcome, subject);
    } else {
      counts.successes += 1;
      calls.free(subject);
    }
  }
  return {
    successPercent: (100 * counts.successes) / counts.calls,
    load: counts.attempts / counts.calls,
  };
}
