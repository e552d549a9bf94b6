import { join } from 'node:path';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { implementTool, type ToolContext } from '../../activities/implement-tool.js';
import { implementModels } from '../../activities/models/index.js';
import { openConversations } from '../../conversations/index.js';
import { openLedger } from '../../ledger/index.js';
import { holdfast } from '../../plugin.js';
import { plainAgentActivities, requestOf } from './agent-activities.js';
import { type AgentKind, isAgentKind } from './agent-kinds.js';
import { lookUpOrder, refundOrder, sendLetter } from './agent-tools.js';
import { serveWorker } from './serve-worker.js';

/**
 * The worker of an agent in a process of its own:
 * `node agent-worker-process.js <kind> <address> <task queue> <bundle> <upstream URL> <folder>`.
 */
const [kind, address = '', taskQueue = '', codePath = '', upstreamUrl = '', folder = ''] =
  process.argv.slice(2);
if (!isAgentKind(kind)) throw new Error(`There is no agent of the kind ${kind}.`);

const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowBundle: { codePath },
  ...(await optionsOf(kind)),
});
await serveWorker(worker);
await connection.close();

async function optionsOf(kind: AgentKind): Promise<Pick<WorkerOptions, 'activities' | 'plugins'>> {
  if (kind === 'plain') return { activities: plainAgentActivities(upstreamUrl) };
  const path = join(folder, 'agent.db');
  const ledger = await openLedger(path);
  const conversations = await openConversations(path);
  const implementations = [
    implementTool(lookUpOrder, send(lookUpOrder.name)),
    implementTool(refundOrder, send(refundOrder.name)),
    implementTool(sendLetter, send(sendLetter.name)),
    implementModels({
      models: {
        lab: { provider: 'openai-compatible', model: 'lab', baseUrl: `${upstreamUrl}/v1` },
      },
    }),
  ];
  return { plugins: [holdfast({ implementations, ledger, conversations })] };
}

/** Makes what does a tool over HTTP; its output schema checks the answer. */
function send(name: string) {
  return async <Output>(input: unknown, { http }: ToolContext): Promise<Output> => {
    const { url, json } = requestOf(name, input);
    const request = { url: `${upstreamUrl}${url}`, ...(json !== undefined && { json }) };
    const { body } = await http(request);
    return body as Output; // checked next
  };
}
