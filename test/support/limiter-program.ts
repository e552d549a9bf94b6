import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { LimitFigures, Reservation } from '../../src/limits/index.js';
import { askerOf, type LimiterFixture, minuteMs } from './limiter-fixture.js';

/** One step of what callers do to a limiter; `which` counts from the newest. */
export type Step =
  | { readonly kind: 'ask'; readonly tokens: number }
  | { readonly kind: 'come-back'; readonly which: number }
  | { readonly kind: 'settle'; readonly which: number; readonly tokens: number }
  | { readonly kind: 'release'; readonly which: number }
  | { readonly kind: 'elapse'; readonly steps: number };

/** Time passes in such steps, so that what one store takes longer decides nothing. */
export const stepMs = 5_000;

const asks = [
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('ask' as const), tokens: fc.nat(60) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('come-back' as const), which: fc.nat(3) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('elapse' as const), steps: fc.nat(7) }),
  },
];
const length = { minLength: 10, maxLength: 40 };

/** Any sequence of steps in which what was reserved is used. */
export const arbitraryAsks: fc.Arbitrary<readonly Step[]> = fc.array(fc.oneof(...asks), length);

/** Any sequence of steps. */
export const arbitraryProgram: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    ...asks,
    fc.record({ kind: fc.constant('settle' as const), which: fc.nat(3), tokens: fc.nat(80) }),
    fc.record({ kind: fc.constant('release' as const), which: fc.nat(3) }),
  ),
  length,
);

/** Limits that such programs reach: of requests, of tokens, of both, with and without pace. */
export const arbitraryFigures: fc.Arbitrary<LimitFigures> = fc.constantFrom(
  { requestsPerMinute: 3 },
  { tokensPerMinute: 100 },
  { requestsPerMinute: 4, tokensPerMinute: 100 },
  { requestsPerMinute: 6, tokensPerMinute: 100, pace: true },
);

type Admitted = { readonly at: number; requests: number; tokens: number; hasEnded: boolean };

/**
 * Runs a program for a tenant of its own and fails where a minute would hold more than the limit, or two admissions
 * stand closer than the pace. Returns what was answered to each request, waits in steps.
 */
export async function runProgram(
  fixture: LimiterFixture,
  {
    figures,
    program,
    tenant,
  }: {
    readonly figures: LimitFigures;
    readonly program: readonly Step[];
    readonly tenant: string;
  },
): Promise<readonly string[]> {
  const { ask } = askerOf(fixture, figures);
  const away: { readonly ticket: string; readonly tokens: number }[] = [];
  const reservations: Reservation[] = [];
  const admissions: Admitted[] = [];
  const answers: string[] = [];
  let now = 0;

  const askFor = async (tokens: number, ticket?: string): Promise<void> => {
    const answer = await ask({ tokens, tenant, ...(ticket === undefined ? {} : { ticket }) });
    if (answer.kind === 'later') {
      away.push({ ticket: answer.ticket, tokens });
      answers.push(`later by ${Math.round(answer.waitMs / stepMs)} steps`);
      return;
    }
    reservations.push(answer.reservation);
    admissions.push({ at: now, requests: 1, tokens, hasEnded: false });
    answers.push('admitted');
    assertWithin(figures, admissions);
  };
  const end = async (which: number, tokens: number | undefined): Promise<void> => {
    const reservation = reservations.at(-1 - which);
    const admitted = admissions.at(-1 - which);
    if (reservation === undefined || admitted === undefined) return;
    await (tokens === undefined ? reservation.release() : reservation.settle(tokens));
    if (admitted.hasEnded) return;
    admitted.hasEnded = true;
    admitted.requests = tokens === undefined ? 0 : 1;
    admitted.tokens = tokens ?? 0;
  };

  for (const step of program) {
    switch (step.kind) {
      case 'ask':
        await askFor(step.tokens);
        break;
      case 'come-back': {
        const [back] = away.splice(-1 - step.which, 1);
        if (back !== undefined) await askFor(back.tokens, back.ticket);
        break;
      }
      case 'settle':
        await end(step.which, step.tokens);
        break;
      case 'release':
        await end(step.which, undefined);
        break;
      case 'elapse':
        now += step.steps * stepMs;
        await fixture.elapse(step.steps * stepMs);
        break;
    }
  }
  return answers;
}

/** Fails where the last admission leaves more in its minute than the limit, or came before its pace. */
function assertWithin(figures: LimitFigures, admissions: readonly Admitted[]): void {
  const { requestsPerMinute = Infinity, tokensPerMinute = Infinity, pace = false } = figures;
  const last = admissions.at(-1);
  if (last === undefined) return;
  const minute = admissions.filter(({ at }) => at > last.at - minuteMs);
  const requests = minute.reduce((sum, each) => sum + each.requests, 0);
  const tokens = minute.reduce((sum, each) => sum + each.tokens, 0);
  assert.ok(requests <= requestsPerMinute, `${requests} requests in a minute`);
  assert.ok(tokens <= tokensPerMinute, `${tokens} tokens in a minute`);
  const before = admissions.at(-2);
  if (!pace || before === undefined) return;
  assert.ok(last.at - before.at >= minuteMs / requestsPerMinute, 'closer than the pace');
}
