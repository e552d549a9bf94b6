import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { holdfast, implementTool } from 'holdfast';
import { tools } from './tools.js';

const worker = await Worker.create({
  taskQueue: 'echo',
  workflowsPath: fileURLToPath(new URL('./workflows.js', import.meta.url)),
  plugins: [
    holdfast({ implementations: tools.map((tool) => implementTool(tool, async (input) => input)) }),
  ],
});
await worker.run();
