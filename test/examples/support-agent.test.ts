import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { checkTask, type Task, type TaskResult } from 'holdfast/contract';
import { supportTools } from '../../examples/support-agent/implementations.js';
import { ticketTask } from '../../examples/support-agent/task.js';
import { type Ticket, ticketSchema } from '../../examples/support-agent/ticket.js';
import { tools } from '../../examples/support-agent/tools.js';
import { findTemporalCli } from '../../src/lab/temporal-server.js';
import { createUpstream } from '../../src/lab/upstream/index.js';
import { type Rig, startRig } from '../support/rig.js';
import { projectFile } from '../support/root.js';
import { runModule, untilTrue } from '../support/run-module.js';

const folder = 'examples/support-agent';
const ticketFile = (name: string): string => projectFile(folder, 'tickets', `${name}.json`);
const readTicket = (name: string): Ticket =>
  ticketSchema.parse(JSON.parse(readFileSync(ticketFile(name), 'utf8')));
const kettle = '02-kettle-stopped-working';

describe('the support agent', () => {
  const upstream = createUpstream();
  let url = '';
  let rig: Rig;

  before(async () => {
    ({ url } = await upstream.start());
    const model = { url: `${url}/v1`, name: 'lab' };
    rig = await startRig({
      workflows: `${folder}/workflows.js`,
      implementations: supportTools({ shopUrl: url, model }),
    });
  });
  afterEach(() => {
    upstream.setFaults({});
    upstream.reset();
  });
  after(async () => {
    await rig.stop();
    await upstream.stop();
  });

  async function workOn(ticket: Ticket): Promise<TaskResult> {
    return rig.client.workflow.execute('agentTask', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id(ticket.id),
      args: [ticketTask(ticket)],
    });
  }

  it('pays a refund back once and writes once', async () => {
    const result = await workOn(readTicket(kettle));
    assert.equal(result.kind, 'ok');
    assert.equal(upstream.stats().routes.refunds.effects, 1);
    assert.equal(upstream.stats().routes.emails.effects, 1);
  });

  it('sends no refund where none was decided', async () => {
    await workOn(readTicket('01-where-is-my-parcel'));
    assert.equal(upstream.stats().routes.refunds.requests, 0);
    assert.equal(upstream.stats().routes.emails.effects, 1);
  });

  it('takes an order that does not exist for an answer', async () => {
    const result = await workOn(readTicket('10-order-that-does-not-exist'));
    assert.equal(result.degraded, false);
    assert.deepEqual(outputOf(result, 'look_up'), { order: null });
    assert.equal(upstream.stats().routes.lookup.requests, 1);
  });

  it('answers by keywords and a person while the model is down', async () => {
    upstream.setFaults({ chat: { faults: [{ kind: 'status', status: 503 }] } });
    const result = await workOn(readTicket(kettle));
    const degraded = result.steps.filter(({ kind }) => kind === 'degraded').map(({ id }) => id);
    assert.deepEqual(degraded, ['classify', 'decide', 'write']);
    assert.equal(upstream.stats().routes.refunds.requests, 0);
    assert.equal(upstream.stats().routes.emails.effects, 1);
  });

  it('does not promise money when the refund was not confirmed', async () => {
    const fault = { kind: 'status', status: 500, at: 'after-effect' } as const;
    upstream.setFaults({ refunds: { faults: [fault] } });
    const result = await workOn(readTicket(kettle));
    const acted = outputOf(result, 'act') as { decision: { action: string } }; // the tool's output
    assert.equal(acted.decision.action, 'escalate');
    assert.equal(upstream.stats().routes.refunds.effects, 1);
  });

  it('runs task.json as the temporal command starts it', async () => {
    const cli = await findTemporalCli({ log: () => {} });
    const workflowId = rig.id('by-command');
    const args = ['workflow', 'start', '--address', rig.address, '--type', 'agentTask'];
    const where = ['--task-queue', rig.taskQueue, '--workflow-id', workflowId];
    const input = ['--input-file', projectFile(folder, 'task.json')];
    await promisify(execFile)(cli, [...args, ...where, ...input]);
    const result: TaskResult = await rig.client.workflow.getHandle(workflowId).result();
    assert.equal(result.kind, 'ok');
  });

  it('runs by its own worker and client, and stops on SIGTERM with 0', async () => {
    const env = { ...process.env, TEMPORAL_ADDRESS: rig.address, UPSTREAM_URL: url };
    const worker = runModule(`${folder}/worker.js`, { env });
    await untilTrue(() => worker.stdout().includes('worker is ready'), worker);
    const start = runModule(`${folder}/start.js`, { args: [ticketFile(kettle)], env });
    assert.equal(await start.ended, 0, start.stderr());
    assert.match(start.stdout(), /"kind": "ok"/);
    worker.child.kill('SIGTERM');
    assert.equal(await worker.ended, 0);
  });

  for (const module of ['worker', 'start']) {
    it(`says in one sentence that ${module} finds no server`, async () => {
      const env = { ...process.env, TEMPORAL_ADDRESS: '127.0.0.1:1' };
      const running = runModule(`${folder}/${module}.js`, { args: [ticketFile(kettle)], env });
      assert.equal(await running.ended, 1);
      assert.match(running.stderr(), /^No Temporal server answers at 127\.0\.0\.1:1: .*\n$/);
    });
  }
});

describe('the example task', () => {
  it('is the task of a ticket, and right', () => {
    const task = JSON.parse(readFileSync(projectFile(folder, 'task.json'), 'utf8')) as Task; // checked next
    checkTask(task, tools);
    assert.deepEqual(task, ticketTask(readTicket(kettle)));
  });
});

function outputOf({ steps }: TaskResult, id: string): unknown {
  return steps.find((step) => step.id === id)?.value;
}
