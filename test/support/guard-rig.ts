import {
  createDownstreamGuard,
  type DownstreamGuard,
} from '../../src/activities/downstream-guard.js';
import type { AdmissionRequest, Limiter } from '../../src/limits/limiter.js';
import type { RetryBudget } from '../../src/limits/retry-budget.js';

/** What a guard asked and told, in order. */
export type GuardLog = string[];

/** A guard whose limiter and retry budget say what a test wants. */
export type GuardRig = {
  readonly guard: DownstreamGuard;
  readonly log: GuardLog;
  /** What the limiter was asked. */
  readonly asked: AdmissionRequest[];
};

/** What the parts of a guard answer. */
export type GuardAnswers = {
  /** @default admits everything */
  readonly admit?: (request: AdmissionRequest) => ReturnType<Limiter['admit']>;
  /** @default allows every retry */
  readonly allows?: () => boolean;
  readonly now?: () => number;
};

/** Makes a guard of which every question and every answer is noted. */
export function openGuard({ admit, allows = () => true, now }: GuardAnswers = {}): GuardRig {
  const log: GuardLog = [];
  const asked: AdmissionRequest[] = [];
  const note = (line: string) => async (): Promise<void> => {
    log.push(line);
  };
  const limiter: Limiter = {
    kind: 'memory',
    admit: async (request) => {
      asked.push(request);
      log.push(`admit ${request.tokens}`);
      if (admit !== undefined) return admit(request);
      return { kind: 'admitted', reservation: reservation(note) };
    },
    close: async () => {},
  };
  const retryBudget: RetryBudget = {
    callSent: () => {
      log.push('call');
      return { takeBack: () => log.push('take back') };
    },
    decide: async () => {
      const allowed = allows();
      log.push(allowed ? 'retry' : 'no retry');
      return { allowed, by: 'worker', refund: () => log.push('refund') };
    },
    close: async () => {},
  };
  const guard = createDownstreamGuard({
    limiter,
    retryBudget,
    random: () => 0.5,
    ...(now === undefined ? {} : { now }),
  });
  return { guard, log, asked };
}

function reservation(note: (line: string) => () => Promise<void>) {
  return { settle: (tokens: number) => note(`settle ${tokens}`)(), release: note('release') };
}
