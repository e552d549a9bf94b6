import { Client, Connection } from '@temporalio/client';
import { holdfast } from 'holdfast';
import type { echoChain } from './workflows.js';

const connection = await Connection.connect();
const client = new Client({ connection, plugins: [holdfast()] });
const answer = await client.workflow.execute<typeof echoChain>('echoChain', {
  taskQueue: 'echo',
  workflowId: `echo-${process.argv[2] ?? 'hello'}`,
  args: [process.argv[2] ?? 'hello'],
});
console.log(answer);
await connection.close();
