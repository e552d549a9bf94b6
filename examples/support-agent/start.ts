import { readFile } from 'node:fs/promises';
import { Client, Connection } from '@temporalio/client';
import { holdfast } from 'holdfast';
import { ticketTask } from './task.js';
import { ticketSchema } from './ticket.js';
import { tools } from './tools.js';
import type { agentTask } from './workflows.js';

const [path] = process.argv.slice(2);
if (path === undefined) {
  console.error('Usage: node dist/examples/support-agent/start.js <ticket.json>');
  process.exit(2);
}
const ticket = ticketSchema.parse(JSON.parse(await readFile(path, 'utf8')));
const address = process.env.TEMPORAL_ADDRESS ?? '127.0.0.1:7233';

const connection = await Connection.connect({ address }).catch(() => {
  console.error(`No Temporal server answers at ${address}: start one, or set TEMPORAL_ADDRESS.`);
  process.exit(1);
});
const client = new Client({ connection, plugins: [holdfast({ tools })] });
const handle = await client.workflow.start<typeof agentTask>('agentTask', {
  taskQueue: 'holdfast',
  workflowId: ticket.id,
  args: [ticketTask(ticket)],
});
console.log(`Started ${handle.workflowId}`);
console.log(JSON.stringify(await handle.result(), null, 2));
await connection.close();
