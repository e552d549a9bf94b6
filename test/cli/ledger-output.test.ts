import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify, stripVTControlCharacters } from 'node:util';
import Database from 'better-sqlite3';
import { openSqlite } from '../../src/ledger/index.js';
import { cleanEnv, runHoldfast } from '../support/holdfast-command.js';
import { projectFile } from '../support/root.js';
import { claimEffect, doneEnd, keyOf, settleEffect, unknownEnd } from './fixture/effects.js';

const escapeCode = '\u001b';
const longId = `ticket-${'退款'.repeat(40)}`;
let folder: string;
let path: string;
let env: { readonly HOLDFAST_LEDGER: string };

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-cli-'));
  path = join(folder, 'effects.db');
  env = { HOLDFAST_LEDGER: path };
  const ledger = await openSqlite({ path });
  await claimEffect(ledger, 'plain', { tool: 'send_mail', tenant: 'acme', approval: 'approval-1' });
  await settleEffect(ledger, 'done', doneEnd, {
    tool: 'a_tool_with_a_name_that_no_table_has_room_for',
  });
  const reason = `sent ${escapeCode}]0;a title\u0007and\nlost`;
  await settleEffect(ledger, 'long', { kind: 'unknown', reason }, { workflowId: longId });
  const failure = { class: 'invalid-request', message: 'the order is closed' } as const;
  await settleEffect(ledger, 'refused', { kind: 'refused', failure });
  await settleEffect(ledger, 'lost', { kind: 'done', effect: { kind: 'no-result', failure } });
  await ledger.close();
});
after(() => rm(folder, { recursive: true, force: true }));

const lines = async (...args: string[]): Promise<readonly string[]> => {
  const ended = await runHoldfast(['ledger', ...args], { env });
  assert.equal(ended.code, 0, ended.stderr);
  return ended.stdout.trimEnd().split('\n');
};

describe('holdfast ledger list', () => {
  it('fits 100 columns, East Asian letters counted twice', async () => {
    const table = await lines('list');
    assert.equal(table.length, 6);
    const cells = table.map((line) => line.length + (line.match(/[退款]/g)?.length ?? 0));
    assert.deepEqual(
      cells.filter((width) => width > 100),
      [],
    );
    assert.ok(Math.max(...cells) >= 99);
    assert.match(table[0] ?? '', /^KEY {12}STATE +TOOL +CLAIMED +WORKFLOW$/);
  });

  it('shows every text whole with --wide', async () => {
    const table = (await lines('list', '--wide')).join('\n');
    assert.ok(table.includes(longId));
    assert.ok(table.includes(keyOf('plain')));
    assert.equal(table.includes('…'), false);
  });

  it('says so where no effect is like that', async () => {
    assert.deepEqual(await lines('list', '--tool', 'nothing'), ['No effect is like that.']);
  });

  it('names the cursor of the next page, and ends without one', async () => {
    const first = await lines('list', '--limit', '3');
    const after = /^There are more: --after (\S+)$/.exec(first.at(-1) ?? '')?.[1] ?? '';
    assert.equal((await lines('list', '--limit', '3', '--after', after)).length, 3);
  });

  it('prints times in ISO and effects whole with --json', async () => {
    const { entries, next } = JSON.parse((await lines('list', '--json')).join('')) as Listed;
    assert.equal(next, null);
    const entry = entries.find(({ key }) => key === keyOf('done'));
    assert.deepEqual(entry?.end, doneEnd);
    for (const time of [
      entry?.claimedAt,
      entry?.firstClaimedAt,
      entry?.leaseUntil,
      entry?.settledAt,
    ]) {
      assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
    assert.equal(entries.find(({ key }) => key === keyOf('plain'))?.settledAt, null);
  });
});

describe('holdfast ledger show', () => {
  it('shows what is known, a fact a line', async () => {
    const facts = await lines('show', keyOf('plain'));
    const shown = Object.fromEntries(facts.map((line) => line.split(/ {2,}/)));
    assert.deepEqual(
      [shown.key, shown.state, shown.tool, shown.tenant, shown.workflow, shown.approval],
      [keyOf('plain'), 'claimed', 'send_mail', 'acme', 'ticket-plain', 'approval-1'],
    );
    assert.equal('settled' in shown, false);
  });

  it('says of an unknown effect how it is settled', async () => {
    const facts = await lines('show', keyOf('long'));
    const hint = `Whoever knows settles it: holdfast ledger settle ${keyOf('long')} --done --result <json>, or --not-done`;
    assert.equal(facts.at(-1), hint);
  });

  it('shows what an effect ended with', async () => {
    const ends = await Promise.all(
      ['done', 'refused', 'lost'].map(async (name) => (await lines('show', keyOf(name))).at(-1)),
    );
    assert.deepEqual(ends, [
      'end            {"refundId":"r-17"}',
      'end            invalid-request: the order is closed',
      'end            no result was kept (invalid-request: the order is closed)',
    ]);
  });

  it('lets no stored text command the terminal', async () => {
    const facts = (await lines('show', keyOf('long'))).join('\n');
    assert.equal(facts.includes(escapeCode), false);
    assert.ok(facts.includes('sent \\u{1b}]0;a title\\u{7}and\\u{a}lost'));
  });
});

describe('holdfast ledger sweep', () => {
  it('removes what is older than the retention that it is told', async () => {
    const old = join(folder, 'old.db');
    const ledger = await openSqlite({ path: old });
    for (const name of ['a', 'b', 'c']) await settleEffect(ledger, name, doneEnd);
    await settleEffect(ledger, 'd', unknownEnd);
    await ledger.close();
    const twoDays = 2 * 86_400_000;
    const file = new Database(old);
    file.exec(`update holdfast_effects set settled_at = settled_at - ${twoDays}`);
    file.close();
    const sweep = (...args: string[]) =>
      runHoldfast(['ledger', 'sweep', '--json', '--ledger', old, ...args]);
    assert.deepEqual(JSON.parse((await sweep()).stdout), { removed: 0, expired: 0 });
    const swept = await sweep('--retention-days', '1', '--batch', '2');
    assert.deepEqual(JSON.parse(swept.stdout), { removed: 3, expired: 0 });
    assert.equal(swept.stderr, '');
  });
});

describe('colours', () => {
  it('stay out of what is no terminal', async () => {
    assert.equal((await lines('list')).join('').includes(escapeCode), false);
  });

  it('are shown on a terminal, and take no room', async () => {
    const shown = await onTerminal();
    assert.ok(shown.includes(`${escapeCode}[31munknown${escapeCode}[39m`));
    const table = stripVTControlCharacters(shown).replaceAll('\r', '').trimEnd();
    assert.deepEqual(table.split('\n'), await lines('list'));
  });

  it('are left out where NO_COLOR says so', async () => {
    assert.equal((await onTerminal({ NO_COLOR: '1' })).includes(escapeCode), false);
  });
});

/** What a list prints where standard output is a terminal: Python's, which the project needs anyway. */
async function onTerminal(own: Readonly<Record<string, string>> = {}): Promise<string> {
  const command = [process.execPath, projectFile('dist/src/cli/main.js'), 'ledger', 'list'];
  const spawn = 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)';
  const { stdout } = await promisify(execFile)('python3', ['-c', spawn, ...command], {
    env: { ...cleanEnv({ ...env, ...own }), HOME: process.env.HOME },
  });
  return stdout;
}

type Listed = {
  readonly entries: readonly Readonly<Record<string, unknown>>[];
  readonly next: string | null;
};
