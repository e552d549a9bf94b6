import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runHoldfast } from '../support/holdfast-command.js';
import { projectFile } from '../support/root.js';

/** Nobody listens there: a command that asked would end with 3. */
const none = ['--task-queue', 'tasks', '--address', '127.0.0.1:1'];
const task = { steps: [{ id: 'find', tool: 'find_orders', input: { customer: 'Ada' } }] };

describe('holdfast run with wrong input', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-run-'));
  });
  after(() => rm(folder, { recursive: true }));

  const tools = projectFile('dist/test/workflows/fixture/task-tools.js');
  const wrong = [
    { name: 'a task without steps', json: { steps: [] }, says: /steps/ },
    {
      name: 'a step without a tool',
      json: { steps: [{ id: 'a', input: {} }] },
      says: /steps\.0\.tool/,
    },
    {
      name: 'a reference to nothing',
      json: { steps: [{ id: 'a', tool: 'summarise', input: { any: { $ref: 'b#/x' } } }] },
      says: /\$ref|b/,
    },
    {
      name: 'a tool that --tools doesn’t have',
      json: { steps: [{ id: 'a', tool: 'find_order', input: {} }] },
      args: ['--tools', tools],
      says: /steps\.0\.tool must be one of the tools answer_by_rule, find_orders/,
    },
    { name: 'a task as a batch', args: ['--kind', 'batch'], says: /batch\.steps must be one of/ },
    { name: 'a task as a loop', args: ['--kind', 'loop'], says: /Unrecognized key: "steps"/ },
    { name: 'a policy that is none', args: ['--policy', '-'], says: /standard input isn't JSON/ },
    { name: 'a tenant without a name', args: ['--tenant', ''], says: /--tenant .* not be empty/ },
    { name: 'a workflow without an id', args: ['--id', ''], says: /--id .* not be empty/ },
    {
      name: 'an earlier try of what has none',
      args: ['--kind', 'other', '--continues-budget-of', 'x'],
      says: /--continues-budget-of is for tasks and loops/,
    },
  ];
  for (const [index, { name, json = task, args = [], says }] of wrong.entries()) {
    it(`asks no server for ${name}`, async () => {
      const path = join(folder, `${index}.json`);
      await writeFile(path, JSON.stringify(json));
      const input = ['--id', 'wrong', '--input', path];
      const { code, stderr } = await runHoldfast(['run', 'agentTask', ...none, ...input, ...args]);
      assert.equal(code, 2, stderr);
      assert.match(stderr, says);
    });
  }
});
