import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hintFromHeaders, parseRetryAfter } from '../../src/budget/hints.js';
import { parseHttpDate, parseRfc3339 } from '../../src/budget/hints-dates.js';
import { parseDuration } from '../../src/budget/hints-duration.js';
import { hintFromText } from '../../src/budget/hints-text.js';

/** The time of vector V90. */
const nowMs = 1_773_769_074_339;
const inSeconds = (seconds: number) => new Date(nowMs + seconds * 1000);

describe('parseRetryAfter', () => {
  const exact: readonly (readonly [string, string | null | undefined, number | undefined])[] = [
    ['reads whole seconds (V90)', '120', 120_000],
    ['reads no word (V90)', 'not-a-number', undefined],
    ['reads no broken date (V90)', 'Invalid Date GMT', undefined],
    ['reads decimal seconds (mastra-ai/mastra#23778)', '1.5', 1500],
    ['refuses a minus sign (mastra-ai/mastra#23778)', '-3', undefined],
    ['refuses a plus sign (mastra-ai/mastra#23778)', '+3', undefined],
    ['refuses a number with a tail', '1000abc', undefined],
    ['refuses prose (elizaOS/eliza#22162)', 'soon', undefined],
    ['keeps zero (openai/openai-node#1841)', '0', 0],
    ['keeps ten minutes (openai/openai-node#1840)', '600', 600_000],
    ['trims white space', ' 7 ', 7000],
    ['refuses a number that is not finite', '9'.repeat(400), undefined],
    ['refuses an exponent', '1e3', undefined],
    ['refuses a number without a leading digit', '.5', undefined],
    ['refuses an empty value', '', undefined],
    ['refuses an absent value', undefined, undefined],
    ['refuses null', null, undefined],
    ['refuses a duration with units', '6m0s', undefined],
    ['reads a number like a year as seconds', '2026', 2_026_000],
    ['refuses a date that is past', inSeconds(-1).toUTCString(), undefined],
    ['refuses a time that is past', inSeconds(-1).toISOString(), undefined],
    ['refuses this very moment', inSeconds(0).toISOString(), undefined],
    ['refuses a day that no month has', '2099-02-30T00:00:00Z', undefined],
    ['refuses a time without a zone', '2099-02-03T00:00:00', undefined],
    ['reads a time to the millisecond', inSeconds(30).toISOString(), 30_000],
    ['reads a zone other than UTC', '2026-03-17T19:37:55.339+02:00', 1000],
  ];
  for (const [claim, value, expected] of exact) {
    it(claim, () => {
      assert.equal(parseRetryAfter(value, nowMs), expected);
    });
  }

  it('reads an HTTP date to the second (V90)', () => {
    const wait = parseRetryAfter(inSeconds(60).toUTCString(), nowMs);
    assert.ok(wait !== undefined && Math.abs(wait - 60_000) <= 1000, String(wait));
  });

  it('agrees with the platform on every date of the three forms and RFC 3339', () => {
    const from = Date.UTC(1971, 0, 1);
    const dates = fc.date({
      min: new Date(from),
      max: new Date(Date.UTC(2199, 11, 31)),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(dates, (date) => {
        const seconds = Math.floor(date.getTime() / 1000) * 1000;
        assert.equal(parseHttpDate(date.toUTCString()), seconds);
        assert.equal(parseRfc3339(date.toISOString()), date.getTime());
      }),
    );
  });

  it('reads the obsolete forms of an HTTP date', () => {
    const expected = Date.UTC(1994, 10, 6, 8, 49, 37);
    assert.equal(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT', nowMs), expected);
    assert.equal(parseHttpDate('Sun Nov  6 08:49:37 1994', nowMs), expected);
  });

  it('never gives a negative or endless wait', () => {
    fc.assert(
      fc.property(fc.string(), fc.double({ noNaN: true }), (value, now) => {
        const wait = parseRetryAfter(value, now);
        assert.ok(wait === undefined || (Number.isFinite(wait) && wait >= 0));
      }),
    );
  });
});

describe('parseDuration', () => {
  const rows: readonly (readonly [string, number | undefined])[] = [
    ['6m0s', 360_000],
    ['2m59.56s', 179_560],
    ['174ms', 174],
    ['6ms', 6],
    ['18.642s', 18_642],
    ['7.66s', 7660],
    ['36.429760048s', 36_430],
    ['1h2m', 3_720_000],
    ['22.5s', 22_500],
    ['26 seconds', 26_000],
    ['1 minute', 60_000],
    ['1 minute and 30 seconds', 90_000],
    ['2 hours, 5 minutes', 7_500_000],
    ['1d', 86_400_000],
    ['500 milliseconds', 500],
    ['900µs', 1],
    ['12', undefined],
    ['-5s', undefined],
    ['5 sheep', undefined],
    ['5s later', undefined],
    ['', undefined],
  ];
  for (const [text, expected] of rows) {
    it(`reads ${JSON.stringify(text)} as ${expected ?? 'nothing'}`, () => {
      assert.equal(parseDuration(text), expected);
    });
  }
});

describe('hintFromText', () => {
  const rows: readonly (readonly [string, number | undefined])[] = [
    ['Please try again in 18.642s.', 18_642],
    ['Please try again in 1h2m.', 3_720_000],
    ['Please retry after 26 seconds.', 26_000],
    ['Please retry your request in 3 minutes', 180_000],
    ['Please wait 15 seconds before retrying.', 15_000],
    ['Your quota will reset after 18h31m10s.', 66_670_000],
    ['retry_after=30', 30_000],
    ['Retry-After: 1.5', 1500],
    ['Try again in 86400 seconds', 86_400_000],
    [`Please try again at ${new Date(nowMs + 5000).toISOString()}`, 5000],
    [`Please try again at ${new Date(nowMs - 5000).toISOString()}`, undefined],
    ['Please wait a few minutes before you try again.', undefined],
    ['The stream timed out after 120000 ms', undefined],
    ['Please retry after changing 5 lines', undefined],
  ];
  for (const [text, expected] of rows) {
    it(`reads ${JSON.stringify(text.slice(0, 45))} as ${expected ?? 'nothing'}`, () => {
      assert.equal(hintFromText(text, nowMs), expected);
    });
  }
});

describe('hintFromHeaders', () => {
  it('reads x-amz-retry-after as milliseconds (V90)', () => {
    assert.equal(hintFromHeaders({ 'x-amz-retry-after': '5000' }, nowMs), 5000);
  });

  it('reads no word in x-amz-retry-after (V90)', () => {
    assert.equal(hintFromHeaders({ 'x-amz-retry-after': 'abc' }, nowMs), undefined);
  });

  it('falls through an unreadable header to the next one', () => {
    const headers = { 'retry-after-ms': 'soon', 'retry-after': '3' };
    assert.equal(hintFromHeaders(headers, nowMs), 3000);
  });

  it('reads Headers, a Map, pairs and lists of values', () => {
    assert.equal(hintFromHeaders(new Headers({ 'Retry-After': '3' }), nowMs), 3000);
    assert.equal(hintFromHeaders(new Map([['Retry-After', '3']]), nowMs), 3000);
    assert.equal(hintFromHeaders([['Retry-After', '3']], nowMs), 3000);
    assert.equal(hintFromHeaders({ 'Retry-After': ['junk', '3'] }, nowMs), 3000);
  });

  it('dates a hint by the server, however wrong the local clock is', () => {
    const headers = {
      'retry-after': inSeconds(30).toUTCString(),
      date: inSeconds(0).toUTCString(),
    };
    assert.equal(hintFromHeaders(headers, nowMs + 9e9), 30_000);
    assert.equal(hintFromHeaders(headers), 30_000);
  });

  it('has no use for a date without a clock', () => {
    assert.equal(hintFromHeaders({ 'retry-after': inSeconds(30).toUTCString() }), undefined);
  });

  it('never throws, whatever the headers are', () => {
    fc.assert(
      fc.property(fc.anything(), (headers) => {
        const hint = hintFromHeaders(headers, nowMs);
        assert.ok(hint === undefined || (Number.isFinite(hint) && hint >= 0));
      }),
    );
  });
});
