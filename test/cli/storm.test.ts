import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { reproduceContention } from '../../src/lab/storm/published/contention.js';
import { studyPage } from '../../src/lab/storm/published/study-page.js';
import { scenarioDefaults } from '../../src/lab/storm/scenario.js';
import { runStorm } from '../../src/lab/storm/storm.js';
import { stormPage } from '../../src/lab/storm/storm-page.js';
import { renderChartSvg } from '../../src/pages/chart.js';
import { renderPage } from '../../src/pages/render-page.js';
import { describePage } from '../support/describe-page.js';
import { runHoldfast } from '../support/holdfast-command.js';
import { readmeCommands } from '../support/readme-block.js';

const short = ['--duration', '12', '--outage', '3', '--outage-from', '4'];

describe('holdfast storm', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-storm-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('prints a line for each strategy, and says what was simulated', async () => {
    const { code, stdout } = await runHoldfast(['storm', ...short]);
    assert.equal(code, 0);
    const names = stdout.split('\n').map((line) => line.split(' ')[0]);
    assert.deepEqual(names.slice(0, 10), [
      'STRATEGY',
      ...['fixed', 'fixed-jitter', 'none', 'full', 'decorrelated'],
      ...['ratio', 'bounded', 'fleet', 'breaker'],
    ]);
    assert.match(stdout, /20 clients make 500 calls a second, and 300 more at once every 3 s/);
  });

  it('prints the same JSON for the same seed, and no progress among it', async () => {
    const args = [
      'storm',
      ...short,
      '--strategy',
      'full',
      'fleet',
      'full',
      '--seed',
      '9',
      '--json',
    ];
    const [one, other] = await Promise.all([runHoldfast(args), runHoldfast(args)]);
    assert.equal(one.stdout, other.stdout);
    const { scenario, runs } = JSON.parse(one.stdout);
    assert.equal(scenario.seed, 9);
    assert.deepEqual(
      runs.map(({ strategy }: { readonly strategy: string }) => strategy),
      ['full', 'fleet'],
    );
    assert.match(one.stderr, /full/);
  });

  it('writes a page that says how it is made again, and its plots as pictures', async () => {
    const html = join(folder, 'storm.html');
    const png = join(folder, 'plots');
    const chosen = ['--strategy', 'none', 'breaker', '--seed', '3'];
    const { code, stdout } = await runHoldfast([
      ...['storm', ...short, ...chosen],
      ...['--html', html, '--png', png],
    ]);
    assert.equal(code, 0);
    assert.match(stdout, /Written: .*storm\.html/);
    const page = await readFile(html, 'utf8');
    assert.match(
      page,
      /<code>holdfast storm --seed 3 --duration 12 --outage-from 4 --outage 3 --strategy none breaker<\/code>/,
    );
    assert.match(page, /<svg/);
    assert.doesNotMatch(page, /<script/);
    const pictures = (await readdir(png)).toSorted();
    assert.equal(pictures.length, 7);
    const first = await readFile(join(png, pictures[0] ?? ''));
    assert.equal(first.subarray(1, 4).toString('latin1'), 'PNG');
  });

  it('runs a published study again, as text, JSON and a page', async () => {
    const html = join(folder, 'study.html');
    const args = ['storm', '--reproduce', 'contention', '--runs', '40'];
    const { code, stdout } = await runHoldfast([...args, '--html', html]);
    assert.equal(code, 0);
    assert.match(stdout, /FullJitter: writes \(calls\) +796 +\d+/);
    assert.match(await readFile(html, 'utf8'), /10 of 10 published figures/);
    const few = ['storm', '--reproduce', 'contention', '--runs', '2', '--json'];
    const { studies } = JSON.parse((await runHoldfast(few)).stdout);
    assert.equal(studies[0].name, 'contention');
    assert.equal(studies[0].figures[0].published, 63_696);
  });

  const wrong: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['a share above 1', ['--failure', '2'], /failureShare must be a number from 0 to 1, got 2/],
    ['no clients', ['--clients', '0'], /clients must be a whole number from 1 to 10000000, got 0/],
    ['a word for a number', ['--rate', 'many'], /--rate <calls>.*It must be a number/],
    [
      'more calls than a run takes',
      ['--rate', '1e7', '--duration', '3600'],
      /calls must be at most/,
    ],
    ['a strategy that nobody knows', ['--strategy', 'luck'], /Allowed choices are fixed, /],
    ['a study that nobody knows', ['--reproduce', 'luck'], /Allowed choices are contention, /],
    ['no runs', ['--reproduce', 'clients', '--runs', '0'], /whole number from 1/],
    ['a page in no folder', ['--html', '/no/such/folder/page.html'], /there is no folder/],
    ['pictures in no folder', ['--png', '/dev/null'], /\/dev\/null is no folder/],
    ['a seed of no storm', ['--seed', '4294967296'], /whole number from 0 to 4294967295/],
    ['a seed of no study', ['--reproduce', 'clients', '--seed', '-1'], /whole number from 0/],
    ['a study with a scenario', ['--reproduce', 'clients', '--rate', '5'], /takes no --rate/],
    [
      'a study with a strategy',
      ['--reproduce', 'all', '--strategy', 'full'],
      /takes no --strategy/,
    ],
    ['runs without a study', ['--runs', '3'], /--runs is for --reproduce/],
  ];
  for (const [what, args, message] of wrong) {
    it(`refuses ${what} at once, by exit code 2 and in words`, async () => {
      const { code, stdout, stderr } = await runHoldfast(['storm', ...args]);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, message);
    });
  }

  it('does what the README says', async () => {
    const commands = readmeCommands('storm').map((command) => command.split(/\s+/));
    assert.ok(commands.every((words) => words.slice(0, 3).join(' ') === 'npx holdfast storm'));
    const ends = await Promise.all(
      commands.map(([, , ...args]) =>
        runHoldfast(args.map((arg) => (arg.endsWith('.html') ? join(folder, arg) : arg))),
      ),
    );
    assert.deepEqual(
      ends.map(({ code }) => code),
      commands.map(() => 0),
    );
    assert.ok((await readdir(folder)).includes('storm.html'));
  });
});

const storm = await runStorm({
  scenario: {
    ...scenarioDefaults,
    seconds: 20,
    outage: { ...scenarioDefaults.outage, seconds: 5 },
  },
  names: ['fixed', 'none', 'full', 'bounded', 'breaker', 'worker-breaker'],
});
const ofStorm = stormPage(storm, 'holdfast storm');
const ofStudy = studyPage([await reproduceContention({ seed: 1, runs: 3 })], 'holdfast storm');

describe('the plots of a storm and of a study', () => {
  it('show their words whole, wide and narrow', async () => {
    const sections = [ofStorm, ofStudy].flatMap((page) => page.sections);
    for (const block of sections.flatMap(({ blocks }) => blocks)) {
      if (block.kind !== 'chart') continue;
      assert.doesNotMatch(await renderChartSvg(block.chart), /…/, block.chart.title);
      const narrow = await renderChartSvg(block.chart, { widthPx: 350, hasTitle: false });
      assert.doesNotMatch(narrow, /…/, block.chart.title);
    }
  });
});

describePage('the page of a storm', () => renderPage(ofStorm));
describePage('the page of a published study', () => renderPage(ofStudy));
