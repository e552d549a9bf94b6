import { TestWorkflowEnvironment } from '@temporalio/testing';

/**
 * Lets the SDK download a server's program: `node sdk-download.js <kind> <version> <folder>`.
 * A process of its own, since the SDK's download can neither be aborted nor given a limit.
 */
async function main(kind: string | undefined, version: string, downloadDir: string): Promise<void> {
  const server = { executable: { type: 'cached-download' as const, version, downloadDir } };
  const environment =
    kind === 'dev-server'
      ? await TestWorkflowEnvironment.createLocal({ server })
      : await TestWorkflowEnvironment.createTimeSkipping({ server });
  await environment.teardown();
}

const [kind, version = '', downloadDir = ''] = process.argv.slice(2);
try {
  await main(kind, version, downloadDir);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
