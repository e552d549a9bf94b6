import assert from 'node:assert/strict';
import type { LoopResult } from 'holdfast/contract';
import { reportPhrases, type UpstreamStats } from '../../src/lab/upstream/index.js';

/** What an answer says of money and letter; `uncertain` where it says that nobody knows. */
export type Told = { readonly refund: Claim; readonly letter: Claim };
type Claim = 'done' | 'not-done' | 'uncertain';

/** What really happened for a ticket, as the upstream recorded it. */
export type Happened = { readonly refunds: number; readonly letters: readonly string[] };

const claims = {
  none: 'not-done',
  paid: 'done',
  unconfirmed: 'uncertain',
  'not-paid': 'not-done',
  sent: 'done',
  'not-sent': 'not-done',
} as const;

/** Reads what a loop's answer claims: in the words of the lab's model, or of the loop's own stand-in. */
export function readClaims(result: LoopResult): Told {
  const { text } = result;
  if (result.kind === 'degraded') {
    return { refund: standInClaim(text, 'pay_refund'), letter: standInClaim(text, 'send_reply') };
  }
  const said = Object.values(reportPhrases);
  return {
    refund: claimIn(
      text,
      said.flatMap(({ refund }) => Object.entries(refund)),
    ),
    letter: claimIn(
      text,
      said.flatMap(({ letter }) => Object.entries(letter)),
    ),
  };
}

/**
 * Fails where an answer says that something was done that wasn't, or the other way round, and where a letter
 * promises money that was not paid.
 */
export function assertTruthful(text: string, told: Told, { refunds, letters }: Happened): void {
  if (told.refund !== 'uncertain') assert.equal(told.refund === 'done', refunds > 0, text);
  if (told.letter !== 'uncertain') assert.equal(told.letter === 'done', letters.length > 0, text);
  const promise = /paying back|erstatten [\d.]+ €|remboursons|devolvemos|退款[\d.]+ €/u;
  if (letters.some((letter) => promise.test(letter))) assert.ok(refunds > 0, letters.join('\n'));
}

/** Returns what happened for one customer and order. */
export function happenedFor(
  stats: UpstreamStats,
  ticket: { readonly from: string; readonly body: string; readonly subject: string },
): Happened {
  const bodies = (route: string): readonly Readonly<Record<string, unknown>>[] =>
    stats.effects
      .filter((effect) => effect.route === route)
      .map(({ body }) => body as Readonly<Record<string, unknown>>); // it was valid, or had no effect
  const text = `${ticket.subject}\n${ticket.body}`;
  const refunds = bodies('refunds').filter(({ orderId }) => text.includes(String(orderId)));
  const letters = bodies('emails').filter(({ to }) => to === ticket.from);
  return { refunds: refunds.length, letters: letters.map(({ body }) => String(body)) };
}

function claimIn(text: string, phrases: readonly (readonly [string, string])[]): Claim {
  const found = phrases.find(([, phrase]) => patternOf(phrase).test(text));
  assert.ok(found, `says nothing of it: ${text}`);
  return claims[found[0] as keyof typeof claims]; // the kinds of the phrases are its keys
}

function patternOf(phrase: string): RegExp {
  const literal = phrase.replace(/[.*+?^$()|[\]\\]/gu, '\\$&');
  const pattern = literal.replace('{amount}', '\\d+\\.\\d\\d €').replace('{order}', '[^.]+?');
  return new RegExp(`(?:^|[.。] ?)${pattern}`, 'u');
}

function standInClaim(text: string, tool: string): Claim {
  if (part(text, 'May have been done, which nobody knows yet').includes(tool)) return 'uncertain';
  return part(text, 'Done').includes(tool) ? 'done' : 'not-done';
}

function part(text: string, head: string): readonly string[] {
  const list = new RegExp(`(?:^|\\. )${head}: ([^.]*)\\.`, 'u').exec(text)?.[1] ?? '';
  return list.split(', ');
}
