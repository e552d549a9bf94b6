import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openSqlite } from '../../src/ledger/index.js';
import { runHoldfast } from '../support/holdfast-command.js';
import { doneEnd, settleEffect, unknownEnd } from './fixture/effects.js';

let folder: string;
let env: { readonly HOLDFAST_LEDGER: string };
let unknownKey: string;
let doneKey: string;
let releasedKey: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-cli-'));
  const path = join(folder, 'effects.db');
  env = { HOLDFAST_LEDGER: path };
  const ledger = await openSqlite({ path });
  unknownKey = await settleEffect(ledger, 'unknown', unknownEnd);
  doneKey = await settleEffect(ledger, 'done', doneEnd);
  releasedKey = await settleEffect(ledger, 'released', { kind: 'released' });
  await ledger.close();
});
after(() => rm(folder, { recursive: true, force: true }));

type Refusal = {
  readonly claim: string;
  readonly args: () => readonly string[];
  readonly code: number;
  readonly says: RegExp;
  readonly input?: string;
};

const settleUnknown = (...args: string[]) => ['ledger', 'settle', unknownKey, ...args];

const refusals: readonly Refusal[] = [
  {
    claim: 'an unknown command, with the one that was meant',
    args: () => ['ledger', 'lst'],
    code: 2,
    says: /^error: unknown command 'lst'\n\(Did you mean list\?\)/,
  },
  {
    claim: 'an unknown option, with the one that was meant',
    args: () => ['ledger', 'list', '--limt', '3'],
    code: 2,
    says: /^error: unknown option '--limt'\n\(Did you mean --limit\?\)/,
  },
  {
    claim: 'no command at all, with its help',
    args: () => ['ledger'],
    code: 2,
    says: /^Usage: holdfast ledger/,
  },
  {
    claim: 'a state that no effect has',
    args: () => ['ledger', 'list', '--state', 'lost'],
    code: 2,
    says: /Allowed choices are claimed, unknown, done, refused, undone, released/,
  },
  {
    claim: 'a limit that is no whole number',
    args: () => ['ledger', 'list', '--limit', '1.5'],
    code: 2,
    says: /argument '1\.5' is invalid\. It must be a whole number from 1 to 10000/,
  },
  {
    claim: 'a batch of nothing',
    args: () => ['ledger', 'sweep', '--batch', '0'],
    code: 2,
    says: /It must be a whole number from 1 to 100000/,
  },
  {
    claim: 'a cursor that no list gave',
    args: () => ['ledger', 'list', '--after', 'here'],
    code: 2,
    says: /^error: after must be the `next` of an earlier page, got "here"/,
  },
  {
    claim: 'a key that is missing',
    args: () => ['ledger', 'show'],
    code: 2,
    says: /^error: missing required argument 'key'/,
  },
  {
    claim: 'an empty key',
    args: () => ['ledger', 'show', ''],
    code: 2,
    says: /^error: A key has 1 to 255 characters, this one 0/,
  },
  {
    claim: 'a key that no effect has',
    args: () => ['ledger', 'show', 'order 7'],
    code: 1,
    says: /^error: The ledger knows no effect with the key order 7;/,
  },
  {
    claim: 'first digits that no key has',
    args: () => ['ledger', 'settle', 'deadbeef', '--not-done'],
    code: 1,
    says: /^error: The ledger knows no effect whose key begins with deadbeef/,
  },
  {
    claim: 'a settlement both done and not done',
    args: () => settleUnknown('--done', '--not-done'),
    code: 2,
    says: /^error: option '--done' cannot be used with option '--not-done'/,
  },
  {
    claim: 'a settlement neither done nor not done',
    args: () => settleUnknown(),
    code: 2,
    says: /^error: Say --done with its --result, or --not-done/,
  },
  {
    claim: 'a result of what has not happened',
    args: () => settleUnknown('--not-done', '--result', '1'),
    code: 2,
    says: /^error: option '--not-done' cannot be used with option '--result <json>'/,
  },
  {
    claim: 'something done without its result',
    args: () => settleUnknown('--done'),
    code: 2,
    says: /^error: --done needs --result/,
  },
  {
    claim: 'a result that is not JSON',
    args: () => settleUnknown('--done', '--result', 'sent'),
    code: 2,
    says: /^error: --result takes JSON, @file or -; what it names isn't JSON: .*quotes/,
  },
  {
    claim: 'a result from standard input that is not JSON',
    args: () => settleUnknown('--done', '--result', '-'),
    input: '{"refundId":',
    code: 2,
    says: /^error: --result takes JSON, @file or -; what it names isn't JSON/,
  },
  {
    claim: 'a result in a file that is not there',
    args: () => settleUnknown('--done', '--result', '@/nowhere/refund.json'),
    code: 2,
    says: /^error: --result @\/nowhere\/refund\.json can't be read: ENOENT/,
  },
  {
    claim: 'nobody who says so',
    args: () => settleUnknown('--not-done', '--by', ' '),
    code: 2,
    says: /^error: --by takes a name that is not blank/,
  },
  {
    claim: 'to settle what is known to be done',
    args: () => ['ledger', 'settle', doneKey, '--not-done'],
    code: 1,
    says: /^error: Only an unknown effect can be settled, and [0-9a-f]{64} is done\. Nothing was written/,
  },
  {
    claim: 'to settle what may run anyway',
    args: () => ['ledger', 'settle', releasedKey, '--done', '--result', '1'],
    code: 1,
    says: /is released\. Nothing was written/,
  },
];

describe('the holdfast command refuses', () => {
  for (const { claim, args, code, says, input } of refusals) {
    it(claim, async () => {
      const ended = await runHoldfast(args(), { env, ...(input === undefined ? {} : { input }) });
      assert.match(ended.stderr, says);
      assert.deepEqual([ended.code, ended.stdout], [code, '']);
    });
  }

  it('without changing the effect', async () => {
    const ended = await runHoldfast(['ledger', 'show', unknownKey, '--json'], { env });
    assert.equal((JSON.parse(ended.stdout) as { readonly state: string }).state, 'unknown');
  });

  it('in JSON with --json', async () => {
    const wrong = await runHoldfast(['ledger', 'list', '--json', '--limit', 'x'], { env });
    const message =
      "option '--limit <number>' argument 'x' is invalid. It must be a whole number from 1 to 10000.";
    assert.deepEqual(JSON.parse(wrong.stderr), { error: { kind: 'usage', message } });
    const known = await runHoldfast(['ledger', 'settle', doneKey, '--not-done', '--json'], { env });
    const { error } = JSON.parse(known.stderr) as { readonly error: Record<string, string> };
    assert.deepEqual([error.kind, error.state, error.key], ['wrong-state', 'done', doneKey]);
  });
});

describe('holdfast ledger settle', () => {
  const settleNew = async (name: string, args: readonly string[], input = ''): Promise<unknown> => {
    const ledger = await openSqlite({ path: env.HOLDFAST_LEDGER });
    const key = await settleEffect(ledger, name, unknownEnd);
    const all = ['ledger', 'settle', key, '--done', '--no-tell', ...args];
    const ended = await runHoldfast(all, { env, input });
    assert.equal(ended.code, 0, ended.stderr);
    const entry = await ledger.find(key);
    await ledger.close();
    return entry?.end;
  };
  const happened = (value: unknown) => ({ kind: 'done', effect: { kind: 'result', value } });

  it('takes a result from standard input', async () => {
    assert.deepEqual(
      await settleNew('input', ['--result', '-'], ' [1, "ü"]\n'),
      happened([1, 'ü']),
    );
  });

  it('takes a result from a file', async () => {
    const file = join(folder, 'refund.json');
    await writeFile(file, '{"refundId": "r-1"}');
    assert.deepEqual(
      await settleNew('file', ['--result', `@${file}`]),
      happened({ refundId: 'r-1' }),
    );
  });

  it('takes null as the result of what answers nothing', async () => {
    assert.deepEqual(await settleNew('null', ['--result', 'null']), happened(null));
  });

  it('names this user as the one who says so', async () => {
    await settleNew('by', ['--result', '1']);
    const shown = await runHoldfast(['ledger', 'list', '--json'], { env });
    const { entries } = JSON.parse(shown.stdout) as { readonly entries: readonly Settled[] };
    const own = entries.find(({ workflowId }) => workflowId === 'ticket-by');
    assert.equal(own?.settledBy, userInfo().username);
  });
});

type Settled = { readonly workflowId: string; readonly settledBy: string | null };
