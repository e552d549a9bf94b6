import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Worker,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import { holdfast } from 'holdfast';
import type { Decision, LoopResult, WaitingApproval } from 'holdfast/contract';
import { openConversations } from 'holdfast/conversations';
import { openLedger } from 'holdfast/ledger';
import { implementModels } from 'holdfast/models';
import { supportTools } from '../../examples/support-agent/implementations.js';
import type { Ticket } from '../../examples/support-agent/ticket.js';
import { createUpstream, type Upstream } from '../../src/lab/upstream/index.js';
import { projectFile } from './root.js';
import { startTestServer } from './server.js';

/** A server on which the support agent's loop works through tickets against shops of their own. */
export type AgentRig = {
  /** Opens a shop with a worker of its own, whose breakers and budgets know nothing of another's. */
  readonly openShop: () => Promise<AgentShop>;
  readonly stop: () => Promise<void>;
};

/** A shop with its faults, and the worker of its agent. */
export type AgentShop = {
  readonly upstream: Upstream;
  /** Starts all tickets at once and waits for their ends. */
  readonly workOn: (tickets: readonly Ticket[], deadlineMs?: number) => Promise<readonly Worked[]>;
  readonly close: () => Promise<void>;
};

/** A ticket with how it ended. */
export type Worked = {
  readonly ticket: Ticket;
  readonly result: LoopResult;
  /** Milliseconds between start and end, by the server's clock. */
  readonly tookMs: number;
};

const POLL_MS = 200;
/** The one whose refund needs a person's yes: a query for every ticket would be most of the load. */
const LARGE_REFUND = 'ticket-24';

/** Starts the server and bundles the agent; one of each for a test file. */
export async function startAgentRig(): Promise<AgentRig> {
  const server = await startTestServer();
  const { address } = server;
  const native = await NativeConnection.connect({ address });
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const workflowsPath = projectFile('dist', 'test/examples/fixture/agent-workflows.js');
  const logger = new DefaultLogger('ERROR');
  const bundle = await bundleWorkflowCode({ workflowsPath, plugins: [holdfast()], logger });
  return {
    openShop: () => openShop({ native, client, bundle }),
    async stop() {
      await connection.close();
      await native.close();
      await server.stop();
    },
  };
}

type Parts = {
  readonly native: NativeConnection;
  readonly client: Client;
  readonly bundle: WorkflowBundleWithSourceMap;
};

async function openShop({ native, client, bundle }: Parts): Promise<AgentShop> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-agent-'));
  const address = join(folder, 'agent.db');
  const [ledger, conversations] = [await openLedger(address), await openConversations(address)];
  const upstream = createUpstream();
  const { url } = await upstream.start();
  const model = { url: `${url}/v1`, name: 'lab' };
  const implementations = [
    ...supportTools({ shopUrl: url, model }),
    implementModels({
      models: {
        support: { provider: 'openai-compatible', model: 'lab', baseUrl: model.url, stream: true },
      },
    }),
  ];
  const taskQueue = `agent-${randomUUID()}`;
  const worker = await Worker.create({
    connection: native,
    taskQueue,
    workflowBundle: bundle,
    plugins: [holdfast({ implementations, ledger, conversations })],
  });
  const ended = worker.run();
  ended.catch(() => {}); // close() hears of it
  return {
    upstream,
    workOn: (tickets, deadlineMs) =>
      Promise.all(tickets.map((ticket) => workOn({ client, taskQueue, ticket, deadlineMs }))),
    async close() {
      await upstream.stop();
      worker.shutdown();
      await ended;
      await ledger.close();
      await conversations.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function workOn(start: {
  readonly client: Client;
  readonly taskQueue: string;
  readonly ticket: Ticket;
  readonly deadlineMs: number | undefined;
}): Promise<Worked> {
  const { client, taskQueue, ticket, deadlineMs } = start;
  const handle = await client.workflow.start('supportAgent', {
    taskQueue,
    workflowId: `${ticket.id}-${randomUUID()}`,
    args: [{ prompt: JSON.stringify(ticket), ...(deadlineMs === undefined ? {} : { deadlineMs }) }],
  });
  const over = new AbortController();
  const approving =
    ticket.id === LARGE_REFUND ? approveAll(handle, over.signal) : Promise.resolve();
  const result: LoopResult = await handle.result();
  over.abort();
  await approving;
  const { startTime, closeTime = startTime } = await handle.describe();
  return { ticket, result, tookMs: closeTime.getTime() - startTime.getTime() };
}

/** Stands for the person who says yes to each call that waits for one. */
async function approveAll(handle: WorkflowHandle, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const waiting = await handle.query<WaitingApproval[]>('holdfast.approvals').catch(() => []);
    for (const { callId, fingerprint } of waiting) {
      const decision: Decision = { callId, fingerprint, approve: true, by: 'the shop' };
      await handle.executeUpdate('holdfast.decide', { args: [decision] }).catch(() => {}); // it has ended meanwhile
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
