import type { WorkerConfig } from 'holdfast';
import { supportTools } from './implementations.js';

const { UPSTREAM_URL: shopUrl = 'http://127.0.0.1:4010', MODEL_URL: modelUrl = `${shopUrl}/v1` } =
  process.env;

/** The same worker for the command: holdfast worker dist/examples/support-agent/worker-config.js */
export const worker: WorkerConfig = {
  taskQueue: 'holdfast',
  workflowsPath: new URL('./workflows.js', import.meta.url),
  implementations: supportTools({ shopUrl, model: { url: modelUrl, name: 'lab' } }),
  workerOptions: { stickyQueueScheduleToStartTimeout: '2s' },
};
