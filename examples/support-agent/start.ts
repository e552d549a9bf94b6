import { readFile } from 'node:fs/promises';
import { Client, Connection } from '@temporalio/client';
import { holdfast } from 'holdfast';
import { z } from 'zod';
import { ticketSchema } from './ticket.js';
import { agentTools } from './tools.js';
import type { supportAgent } from './workflows.js';

const [path] = process.argv.slice(2);
if (path === undefined || path.startsWith('-')) {
  console.error('Usage: node dist/examples/support-agent/start.js <ticket.json>');
  process.exit(path === '--help' ? 0 : 2);
}
const ticket = await readFile(path, 'utf8')
  .then((text) => ticketSchema.parse(JSON.parse(text)))
  .catch((error: unknown) => {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : error;
    console.error(`${path} can't be read as a ticket: ${reason}`);
    process.exit(2);
  });
const address = process.env.TEMPORAL_ADDRESS ?? '127.0.0.1:7233';

const connection = await Connection.connect({ address }).catch(() => {
  console.error(`No Temporal server answers at ${address}: start one, or set TEMPORAL_ADDRESS.`);
  process.exit(1);
});
const client = new Client({ connection, plugins: [holdfast({ tools: agentTools })] });
const handle = await client.workflow.start<typeof supportAgent>('supportAgent', {
  taskQueue: 'holdfast',
  workflowId: ticket.id,
  args: [{ prompt: JSON.stringify(ticket) }],
});
console.log(`Started ${handle.workflowId}`);
console.log(JSON.stringify(await handle.result(), null, 2));
await connection.close();
