import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { RunReport, TaskResult } from 'holdfast/contract';
import { startTaskRig, type TaskRig } from '../support/task-rig.js';
import { type CommandEnd, runTemporal } from '../support/temporal-command.js';

let rig: TaskRig;
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-cli-'));
  rig = await startTaskRig();
});
after(async () => {
  await rig.stop();
  await rm(folder, { recursive: true, force: true });
});

const temporal = (...args: string[]): Promise<CommandEnd> => runTemporal(rig.address, args);

/** Starts a task from a file, as the README says. */
async function start(task: object): Promise<string> {
  const workflowId = rig.id('cli');
  const file = join(folder, 'task.json');
  await writeFile(file, JSON.stringify(task));
  const whatToRun = ['--type', 'agentTask', '--task-queue', rig.taskQueue, '--input-file', file];
  const ended = await temporal('workflow', 'start', ...whatToRun, '--workflow-id', workflowId);
  assert.equal(ended.code, 0, ended.output);
  return workflowId;
}

describe('the temporal command', () => {
  it('runs a task from a JSON file to its end', async () => {
    const workflowId = await start({
      steps: [
        { id: 'find', tool: 'find_orders', input: { customer: 'Ada', failures: 1 } },
        {
          id: 'sum',
          tool: 'summarise',
          input: { city: { $ref: 'find#/customer/address/city' } },
        },
      ],
    });
    const ended = await temporal('workflow', 'result', '-w', workflowId, '--output', 'json');
    assert.equal(ended.code, 0, ended.output);
    const { status, result } = JSON.parse(ended.stdout) as Closed; // the command's own JSON
    assert.equal(status, 'COMPLETED');
    assert.equal(result.kind, 'ok');
    assert.deepEqual(result.steps[1]?.value, { text: 'summed up', input: { city: 'Ghent' } });
    assert.equal(result.report.attempts, 3);
  });

  it('asks a run for its report and its state, by the long name and the short one', async () => {
    const workflowId = await start({ steps: [{ id: 'a', tool: 'answer_by_rule', input: {} }] });
    assert.equal((await temporal('workflow', 'result', '-w', workflowId)).code, 0);
    for (const type of ['holdfast.report', 'holdfast.state', 'report', 'state']) {
      const args = ['-w', workflowId, '--type', type, '--output', 'json'];
      const ended = await temporal('workflow', 'query', ...args);
      assert.equal(ended.code, 0, ended.output);
      const { queryResult } = JSON.parse(ended.stdout) as Answer; // the command's own JSON
      assert.deepEqual(
        queryResult[0]?.lines.map(({ step, kind }) => [step, kind]),
        [['a', 'ok']],
        type,
      );
    }
  });

  it('shows every fault of a bad task', async () => {
    const workflowId = await start({
      steps: [
        { id: 'a', tool: 'fly', input: {} },
        { id: 'a', tool: 'find_orders', input: { customer: 7 } },
        { id: 'b', tool: 'summarise', input: { city: { $ref: 'nobody' } } },
      ],
    });
    const ended = await temporal('workflow', 'result', '-w', workflowId);
    assert.equal(ended.code, 1);
    const described = await temporal('workflow', 'describe', '-w', workflowId);
    assert.match(described.output, /Status +FAILED/);
    for (const { output } of [ended, described]) {
      assert.match(output, /task\.steps\.0\.tool must be one of the tools .*, got "fly"/);
      assert.match(output, /task\.steps\.1\.id must differ from .*, got "a"/);
      assert.match(output, /task\.steps\.1\.input\.customer .*, got 7/);
      assert.match(output, /task\.steps\.2\.input\.city\.\$ref must name a step .*, got "nobody"/);
    }
  });
});

type Closed = { readonly status: string; readonly result: TaskResult };
type Answer = { readonly queryResult: readonly RunReport[] };
