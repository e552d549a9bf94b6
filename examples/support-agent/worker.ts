import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { holdfast } from 'holdfast';
import { openConversations } from 'holdfast/conversations';
import { openLedger } from 'holdfast/ledger';
import { createRetryBudget, openFleetStore, openLimiter } from 'holdfast/limits';
import { implementModels } from 'holdfast/models';
import { installTelemetry } from 'holdfast/telemetry';
import { supportTools } from './implementations.js';

const {
  TEMPORAL_ADDRESS: address = '127.0.0.1:7233',
  TEMPORAL_NAMESPACE: namespace = 'default',
  UPSTREAM_URL: shopUrl = 'http://127.0.0.1:4010',
  MODEL_URL: modelUrl = `${shopUrl}/v1`,
  MODEL_NAME: modelName = 'lab',
  MODEL_KEY: modelKey,
  HOLDFAST_LEDGER: ledgerAddress = 'support-agent-ledger.db',
  HOLDFAST_FLEET: fleetAddress = 'memory', // or postgres://…, for several workers
  HOLDFAST_METRICS: metricsAddress, // such as 127.0.0.1:9464, for Prometheus
} = process.env;

if (metricsAddress !== undefined) installTelemetry({ prometheus: metricsAddress });

const implementations = [
  ...supportTools({ shopUrl, model: { url: modelUrl, name: modelName, key: modelKey } }),
  implementModels({
    models: {
      support: {
        provider: 'openai-compatible',
        model: modelName,
        baseUrl: modelUrl,
        ...(modelKey === undefined ? {} : { apiKey: modelKey }),
      },
    },
  }),
];

const connection = await NativeConnection.connect({ address }).catch(() => {
  console.error(`No Temporal server answers at ${address}: start one, or set TEMPORAL_ADDRESS.`);
  process.exit(1);
});
const ledger = await openLedger(ledgerAddress);
const conversations = await openConversations(ledgerAddress);
const limiter = await openLimiter(fleetAddress);
const retryBudget = createRetryBudget({ store: await openFleetStore(fleetAddress) });
const worker = await Worker.create({
  connection,
  namespace,
  taskQueue: 'holdfast',
  workflowsPath: fileURLToPath(new URL('./workflows.js', import.meta.url)),
  plugins: [holdfast({ implementations, ledger, conversations, limiter, retryBudget })],
  shutdownGraceTime: '10s',
  stickyQueueScheduleToStartTimeout: '2s', // so soon another worker takes over a lost one's tickets
});
console.log(`The support agent's worker is ready: server ${address}, shop ${shopUrl}`);
await worker.run(); // until SIGINT or SIGTERM
await connection.close();
await Promise.all([ledger.close(), conversations.close(), limiter.close(), retryBudget.close()]);
