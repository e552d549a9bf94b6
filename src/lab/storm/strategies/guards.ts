import {
  admitCall,
  type BreakerState,
  initialBreaker,
  recordEnd,
} from '../../../budget/breaker.js';
import type { BreakerOptions } from '../../../budget/breaker-options.js';
import { WorkerBreaker, type WorkerBreakerOptions } from '../../../budget/worker-breaker.js';
import type { Guard } from './strategy.js';

/** Returns a guard by the counting breaker that a run keeps for a downstream, one for each client. */
export function countingGuard(options: BreakerOptions): Guard {
  const initial = initialBreaker();
  const states = new Map<number, BreakerState>(); // of those that are not as they began
  return {
    admit: (client, nowMs) => {
      const { state, admission } = admitCall(states.get(client) ?? initial, options, nowMs);
      if (state !== initial) states.set(client, state);
      return admission.kind === 'admitted' ? admission.generation : undefined;
    },
    record: (client, end) => {
      const before = states.get(client) ?? initial;
      const after = recordEnd(before, options, end);
      if (after !== before) states.set(client, after);
    },
  };
}

/** Returns a guard by the breaker that a worker keeps for a downstream, one for each client. */
export function workerGuard(options: WorkerBreakerOptions): Guard {
  const breakers = new Map<number, WorkerBreaker>();
  const of = (client: number): WorkerBreaker => {
    const breaker = breakers.get(client) ?? new WorkerBreaker();
    breakers.set(client, breaker);
    return breaker;
  };
  return {
    admit: (client, nowMs) => {
      const admission = of(client).admit(options, nowMs);
      return admission.kind === 'admitted' ? admission.generation : undefined;
    },
    record: (client, end) => of(client).record(options, end),
  };
}
