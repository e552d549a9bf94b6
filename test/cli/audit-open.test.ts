import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client, Connection } from '@temporalio/client';
import { namespaceSource } from '../../src/cli/audit/namespace-source.js';
import { mapAtOnce, type RunPage } from '../../src/cli/audit/run-source.js';
import { startTestServer } from '../support/server.js';
import { until } from '../support/until.js';

let server: Awaited<ReturnType<typeof startTestServer>>;
let client: Client;
before(async () => {
  server = await startTestServer();
  client = new Client({ connection: await Connection.connect({ address: server.address }) });
});
after(async () => {
  await client.connection.close();
  await server.stop();
});

describe('an audit of a namespace', () => {
  it('meets no run twice that ends while it reads', async () => {
    const ids = Array.from({ length: 130 }, (_, index) => `open-${index}`);
    // nobody works on that queue: they stay open until they are terminated
    await mapAtOnce(ids, 40, (workflowId) =>
      client.workflow.start('tidy', { taskQueue: 'nobody', workflowId }),
    );
    const count = async (query: string): Promise<number> =>
      Number(
        (await client.workflowService.countWorkflowExecutions({ namespace: 'default', query }))
          .count,
      );
    await until(async () => (await count('')) === ids.length);
    const source = namespaceSource(client, { address: server.address, query: '' });
    const seen: string[] = [];
    let terminated = false;
    let cursor: string | null = null;
    do {
      const page: RunPage = await source.page(cursor);
      seen.push(...page.runs.map(({ workflowId }) => workflowId));
      if (seen.length > 0 && !terminated) {
        terminated = true;
        await mapAtOnce(seen.slice(0, 20), 20, (id) => client.workflow.getHandle(id).terminate());
        await until(async () => (await count("ExecutionStatus = 'Terminated'")) === 20);
      }
      cursor = page.next;
    } while (cursor !== null);
    assert.equal(new Set(seen).size, seen.length);
    assert.ok(terminated && seen.length >= ids.length - 20);
  });
});
