import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { DrillResult, SideResult } from '../../src/lab/drill/drill-result.js';
import { bounds } from '../../src/lab/drill/verdicts.js';
import { type HoldfastEnd, runHoldfast } from '../support/holdfast-command.js';
import { readmeCommands } from '../support/readme-block.js';

describe('the drill of the README', () => {
  let folder: string;
  let end: HoldfastEnd;
  let result: DrillResult;
  let own: SideResult;
  let plain: SideResult;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-drill-'));
    const [command = ''] = readmeCommands('drill');
    assert.match(command, /^npx holdfast drill .*drill\.html/);
    const args = command.replace('drill.html', join(folder, 'drill.html')).split(/\s+/).slice(2);
    end = await runHoldfast([...args, '--json'], { env: { HOME: process.env.HOME ?? '' } });
    assert.ok(end.stdout.startsWith('{'), end.stderr);
    result = JSON.parse(end.stdout) as DrillResult; // what the drill prints
    const [first, second] = result.sides;
    assert.ok(first && second);
    [own, plain] = [first, second];
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('ends with 0 where holdfast keeps every bound, else with 1', () => {
    assert.equal(end.code, result.passed ? 0 : 1, end.stderr);
  });

  it('lets as many tickets arrive at one side as at the other, and loses none', () => {
    for (const { totals } of result.sides) {
      const { ok, degraded, failed, hung } = totals.ends;
      assert.equal(ok + degraded + failed + hung, totals.tickets);
    }
    assert.equal(own.totals.tickets, plain.totals.tickets);
  });

  it('sees four calls for each ticket in calm', () => {
    assert.equal(own.totals.callsPerTicketInCalm, 4);
    assert.equal(plain.totals.callsPerTicketInCalm, 4);
  });

  it('misses no bound with holdfast', () => {
    assert.deepEqual(
      own.verdicts.filter(({ kind }) => kind === 'fail'),
      [],
    );
  });

  it('doubles and loses no effect with holdfast', () => {
    assert.equal(own.totals.doubledEffects, 0);
    assert.equal(own.totals.lostEffects, 0);
  });

  it('sees the breaker open and its fallbacks answer', () => {
    assert.ok(own.totals.ends.degraded > 0);
    // a machine on which tickets queue in peace doesn't bring a breaker the calls that it needs
    const isTooSlow = (own.totals.calmP95Ms ?? 0) > bounds.calmP95Ms;
    if (!isTooSlow) assert.notEqual(own.totals.breakerTripMs, null);
  });

  it('sends no more than 1.12 times the calls of peace where there are enough to judge', () => {
    const { samplesBeforeFault, loadInFault } = own.totals;
    if (samplesBeforeFault >= 100) assert.ok(loadInFault !== null && loadInFault <= 1.12);
    else assert.ok(own.verdicts.some(({ kind }) => kind === 'unjudged'));
  });

  it('keeps the calls in flight within the bulkhead', () => {
    assert.ok(own.totals.inFlightPeak <= 36, String(own.totals.inFlightPeak));
  });

  it('sees the side without holdfast retry, pay twice and never trip', () => {
    const { retries, doubledEffects, breakerTripMs } = plain.totals;
    assert.ok(retries > 0);
    assert.ok(doubledEffects > 0);
    assert.equal(breakerTripMs, null);
  });

  it('writes a page with a plot of each figure', async () => {
    const page = await readFile(join(folder, 'drill.html'), 'utf8');
    for (const title of ['Calls per second', 'Connections in flight', 'How tickets ended']) {
      assert.ok(page.includes(title), title);
    }
  });
});

describe('the drill command', () => {
  const faulty: readonly (readonly [readonly string[], RegExp])[] = [
    [['--fault', '0s'], /--fault must be longer/],
    [['--calm', '5'], /duration such as 20s/],
    [['--fault', '11m'], /from 0 to 600000 ms/],
    [['--rate', '50', '--calm', '10m'], /at most/],
    [['--namespace', 'other'], /needs --address/],
    [['--html', '/'], /is a folder/],
    [['--png', '/dev/null'], /is no folder/],
  ];
  it("refuses what it can't do before anything is started", async () => {
    await Promise.all(
      faulty.map(async ([args, said]) => {
        const { code, stderr } = await runHoldfast(['drill', ...args]);
        assert.equal(code, 2, stderr);
        assert.match(stderr, said);
      }),
    );
  });

  it('ends with 3 where no server answers at the address', async () => {
    const { code, stderr } = await runHoldfast(['drill', '--address', '127.0.0.1:1']);
    assert.equal(code, 3, stderr);
    assert.match(stderr, /127\.0\.0\.1:1 can't be used/);
  });
});
