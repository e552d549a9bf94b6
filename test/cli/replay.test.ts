import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bundleFaults } from '../../src/cli/replay/bundle-faults.js';
import { gapIn } from '../../src/cli/replay/history-gap.js';
import { type HoldfastEnd, runHoldfast } from '../support/holdfast-command.js';
import { projectFile } from '../support/root.js';

function fixture(name: string): string {
  return projectFile('dist/test/replay/fixture', name);
}

const policy = ['--policy-module', fixture('policy-module.js')];

function replay(
  names: readonly string[],
  workflows: string,
  ...more: readonly string[]
): Promise<HoldfastEnd> {
  const files = names.map((name) => projectFile('test/histories', name));
  return runHoldfast(['replay', ...files, '--workflows', workflows, ...more]);
}

describe('holdfast replay', () => {
  it('says that histories fit the code that made them', async () => {
    const names = ['success.json', 'plain-started-by-plugin.json'];
    const { code, stdout } = await replay(names, fixture('workflows.js'), ...policy);
    assert.equal(code, 0);
    assert.match(stdout, /^fits +success\.json, 17 events\n/);
    assert.match(stdout, /2 of 2 fit\.\n$/);
  });

  it('says which a changed code no longer fits, and whether its commands or its budgets differ', async () => {
    const names = ['success.json', 'task-ok.json'];
    const { code, stdout } = await replay(
      names,
      fixture('changed-workflows.js'),
      ...policy,
      '--json',
    );
    assert.equal(code, 1);
    const { replayed, faults } = JSON.parse(stdout);
    assert.equal(faults, 2);
    assert.equal(replayed[0].kind, 'differs');
    assert.match(
      replayed[0].message,
      /^\[TMPRL1100\] Nondeterminism error: Activity type .*'look'.*'pay'$/,
    );
    assert.equal(replayed[1].kind, 'state-differs');
    assert.match(replayed[1].message, /pool is \{"total":5,.*and was \{"total":6,/);
  });

  it('says what a history needs that the code doesn’t have', async () => {
    const workflows = projectFile('dist/examples/echo-chain/workflows.js');
    const { code, stdout } = await replay(['success.json'], workflows);
    assert.equal(code, 1);
    assert.match(stdout, /^unreadable +success\.json/);
    assert.match(stdout, /no such function is exported by the workflow bundle\n/);
    assert.doesNotMatch(stdout, /at Object\./);
  });

  it('reads no history in which an event is missing', () => {
    const events = [1, 2, 3, 4].map((eventId) => ({ eventId: String(eventId) }));
    assert.equal(gapIn({ events }), undefined);
    assert.equal(gapIn({ events: events.toSpliced(2, 1) }), "it isn't whole: event 3 is missing");
    assert.equal(gapIn({ events: events.slice(1) }), "it isn't whole: event 1 is missing");
  });

  it('tells of what could not be bundled where it is and why', () => {
    const log = [
      'asset workflow-bundle.js 1.45 MiB [emitted]',
      "ERROR in ./dist/workflows.js 1:0-39\nModule not found: Error: Can't resolve './policy.js'",
      'resolve ./policy.js\n  it is not there\n',
      'ERROR in node:fs\nModule build failed: Unhandled scheme\n    at read (x.js:1:1)',
    ];
    assert.deepEqual(bundleFaults(log.join('\n')), [
      "Module not found: Error: Can't resolve './policy.js' (./dist/workflows.js 1:0-39)",
      'Module build failed: Unhandled scheme (node:fs)',
    ]);
  });

  const wrong = [
    { args: ['--workflows', 'x.js'], says: /Name files or folders of histories/ },
    { args: ['no-such.json', '--workflows', 'x.js'], says: /no-such\.json can't be read/ },
    { args: [projectFile('package.json'), '--workflows', 'x.js'], says: /holds no history/ },
    {
      args: [projectFile('test/histories/success.json'), '--workflows', 'no-such.js'],
      says: /no-such\.js can't be bundled/,
    },
    { args: [projectFile('test/histories/success.json')], says: /--workflows/ },
  ];
  for (const { args, says } of wrong) {
    it(`refuses ${args.map((arg) => arg.replace(projectFile(), '')).join(' ')}`, async () => {
      const { code, stderr } = await runHoldfast(['replay', ...args]);
      assert.equal(code, 2, stderr);
      assert.match(stderr, says);
    });
  }
});
