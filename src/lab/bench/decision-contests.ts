import {
  type CircuitBreakerPolicy,
  ConsecutiveBreaker,
  circuitBreaker,
  handleAll,
  handleWhen,
} from 'cockatiel';
import CircuitBreaker from 'opossum';
import { admitCall, type BreakerState, initialBreaker, recordEnd } from '../../budget/breaker.js';
import { classify } from '../../budget/classify.js';
import { errorFacts } from '../../budget/error-facts.js';

/** One library's way to make a decision. */
export type Contestant = { readonly name: string; readonly decide: () => Promise<void> };

/** A kind of decision, by each library. */
export type Contest = { readonly name: string; readonly contestants: readonly Contestant[] };

// A breaker that never changes its state: each decision of a contest is then of one kind.
const NEVER = 1_000_000_000;
const options = { failureThreshold: NEVER, halfOpenAfterCalls: NEVER };
const cooldown = { halfOpenAfter: NEVER, breaker: new ConsecutiveBreaker(NEVER) };

const overloaded = Object.assign(new Error('overloaded'), {
  status: 503,
  headers: { 'retry-after': '2' },
});
const answer = async (): Promise<number> => 1;
const refuse = async (): Promise<number> => {
  throw overloaded;
};
const isServerError = (error: unknown): boolean =>
  error instanceof Error && 'status' in error && Number(error.status) >= 500;

/** Returns the decisions that are measured: a success, a failure with its classification, a rejection. */
export function decisionContests(): readonly Contest[] {
  const open = circuitBreaker(handleAll, cooldown);
  open.isolate();
  return [
    {
      name: 'success',
      contestants: [
        holdfast(answer, initialBreaker()),
        cockatiel(circuitBreaker(handleAll, cooldown), answer),
        opossum(answer),
      ],
    },
    {
      name: 'failure, classified',
      contestants: [
        holdfast(refuse, initialBreaker()),
        cockatiel(circuitBreaker(handleWhen(isServerError), cooldown), refuse),
        opossum(refuse),
      ],
    },
    {
      name: 'rejection',
      contestants: [
        holdfast(answer, { generation: 1, kind: 'open', rejected: 0, openedAt: 0 }),
        cockatiel(open, answer),
        opossum(answer, true),
      ],
    },
  ];
}

function holdfast(call: () => Promise<number>, initial: BreakerState): Contestant {
  let state = initial;
  const decide = async (): Promise<void> => {
    const asked = admitCall(state, options, Date.now());
    state = asked.state;
    if (asked.admission.kind === 'rejected') return;
    const { generation } = asked.admission;
    try {
      await call();
      state = recordEnd(state, options, { generation, end: 'success', nowMs: Date.now() });
    } catch (thrown) {
      const { retryable } = classify({ error: errorFacts(thrown) });
      const end = retryable ? 'failure' : 'neutral';
      state = recordEnd(state, options, { generation, end, nowMs: Date.now() });
    }
  };
  return { name: 'holdfast', decide };
}

function cockatiel(policy: CircuitBreakerPolicy, call: () => Promise<number>): Contestant {
  return { name: 'cockatiel', decide: () => settled(policy.execute(call)) };
}

function opossum(call: () => Promise<number>, isOpen = false): Contestant {
  const breaker = new CircuitBreaker(call, {
    timeout: false,
    resetTimeout: NEVER,
    volumeThreshold: NEVER,
    errorFilter: (error) => !isServerError(error),
  });
  if (isOpen) breaker.open();
  return { name: 'opossum', decide: () => settled(breaker.fire()) };
}

/** The end is what was decided: its value or error is of no use here. */
function settled(promise: Promise<unknown>): Promise<void> {
  return promise.then(
    () => {},
    () => {},
  );
}
