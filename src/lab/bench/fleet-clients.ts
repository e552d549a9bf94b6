const meanAnswerMs = 10;

/** Time as the clients see it: a test's own, or the machine's. */
export type ClientClock = {
  readonly now: () => number;
  readonly sleep: (delayMs: number) => Promise<void>;
};

/** How one client decides about its retries. */
export type RetryRule = {
  readonly callBegins?: () => void;
  readonly attemptSent?: () => void;
  readonly mayRetry: (dueInMs: number) => boolean | Promise<boolean>;
};

/** Clients of a downstream that fails at chance, as in the simulator of V97 and V98. */
export type Clients = {
  /** One for each client. */
  readonly rules: readonly RetryRule[];
  /** Of all clients together; the gaps between a client's calls are drawn from an exponential distribution. */
  readonly callsPerSecond: number;
  /** The share of attempts that fail. */
  readonly failureShare: number;
  /** No call begins later, by the clock. */
  readonly untilMs: number;
  readonly retriesOfCall: number;
  /** Milliseconds before the first retry at most, twice as many before each further one; a share of them is drawn. */
  readonly backoffMs: number;
  /** Whether all clients make their first call at once, or each of them in its own time. */
  readonly beginsAtOnce: boolean;
  readonly clock: ClientClock;
  readonly random: () => number;
  readonly onCall: () => void;
  /** Hears of each attempt, a call's first one included. */
  readonly onAttempt: () => void;
};

/** Runs the clients until their last call has ended. */
export async function runClients(options: Clients): Promise<void> {
  await Promise.all(options.rules.map((rule) => runClient(rule, options)));
}

async function runClient(rule: RetryRule, options: Clients): Promise<void> {
  const { rules, callsPerSecond, untilMs, clock, random } = options;
  const meanGapMs = (rules.length * 1_000) / callsPerSecond;
  const calls: Promise<void>[] = [];
  await clock.sleep(exponential(options.beginsAtOnce ? meanAnswerMs : meanGapMs, random));
  while (clock.now() < untilMs) {
    options.onCall();
    rule.callBegins?.();
    calls.push(attempt(rule, options, 0));
    await clock.sleep(exponential(meanGapMs, random));
  }
  await Promise.all(calls);
}

async function attempt(rule: RetryRule, options: Clients, retry: number): Promise<void> {
  const { clock, random } = options;
  options.onAttempt();
  rule.attemptSent?.();
  const fails = random() < options.failureShare;
  await clock.sleep(exponential(meanAnswerMs, random));
  if (!fails || retry === options.retriesOfCall) return;
  const dueInMs = random() * options.backoffMs * 2 ** retry;
  if (!(await rule.mayRetry(dueInMs))) return;
  await clock.sleep(dueInMs);
  await attempt(rule, options, retry + 1);
}

function exponential(meanMs: number, random: () => number): number {
  return -Math.log(1 - random()) * meanMs;
}
