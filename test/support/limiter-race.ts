import assert from 'node:assert/strict';
import type { Pool } from 'pg';
import { elapse } from './limiter-fixtures.js';
import { startLimiterProcess } from './limiter-process.js';

/** What all processes of the race may send together in a minute. */
export const raceFigures = { requestsPerMinute: 100, tokensPerMinute: 1_000 } as const;

const processes = 4;
const asksEach = 60;
const roundMs = 20_000;
/** Rounds that lie within one minute, with time to spare for what they take. */
const roundsInMinute = 3;

type Sent = { readonly requests: number; readonly tokens: number };

/**
 * Lets four processes ask for 240 requests at the same moment, and again in rounds of 20 seconds until all were
 * admitted; fails where a minute holds more than the limit, or somebody is admitted twice or never.
 */
export async function assertNoMinuteAboveLimit(url: string, beside: Pool): Promise<void> {
  const racers = Array.from({ length: processes }, startLimiterProcess);
  const rounds: Sent[] = [];
  const wins: boolean[] = [];
  try {
    await Promise.all(racers.map((racer) => racer.tell({ kind: 'open', url })));
    for (let left = Number.POSITIVE_INFINITY; left > 0; ) {
      const tokens = rounds.length > 0 ? [] : Array.from({ length: asksEach }, (_, n) => n % 20);
      const told = await Promise.all(racers.map((racer) => racer.tell({ kind: 'ask', tokens })));
      const admitted = told.flatMap((each) => each.admitted);
      if (rounds.length === 0) wins.push(...told.map((each) => each.admitted.length > 0));
      rounds.push({ requests: admitted.length, tokens: sum(admitted) });
      left = sum(told.map((each) => each.away));
      await elapse(beside, roundMs);
    }
  } finally {
    await Promise.all(racers.map((racer) => racer.kill()));
  }
  assert.equal(sum(rounds.map(({ requests }) => requests)), processes * asksEach);
  for (let first = 0; first < rounds.length; first += 1) {
    const minute = rounds.slice(first, first + roundsInMinute);
    const requests = sum(minute.map((round) => round.requests));
    const tokens = sum(minute.map((round) => round.tokens));
    assert.ok(requests <= raceFigures.requestsPerMinute, `${requests} requests in a minute`);
    assert.ok(tokens <= raceFigures.tokensPerMinute, `${tokens} tokens in a minute`);
  }
  assert.ok(wins.filter(Boolean).length > 1, 'no race: one process had all');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
