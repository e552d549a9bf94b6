import { TestWorkflowEnvironment } from '@temporalio/testing';
import {
  type DevServer,
  type DevServerOptions,
  findTemporalCli,
  findTestServer,
  startDevServer,
} from '../../src/lab/temporal-server.js';

const log = (line: string): void => console.error(line);

/** A development server of a test file's own; stop it in the file's `after`. */
export async function startTestServer(
  options: Omit<DevServerOptions, 'cli' | 'log'> = {},
): Promise<DevServer> {
  const cli = await findTemporalCli({ log });
  return startDevServer({ ...options, cli, log: () => {} });
}

/**
 * An environment in which time skips while a workflow's result is awaited; tear it down in the
 * file's `after`. It ignores `TemporalTimeout:*` among non-retryable types and its time stands
 * while an activity runs: tests of lost workers need startTestServer.
 */
export async function createTimeSkipping(): Promise<TestWorkflowEnvironment> {
  const path = await findTestServer({ log });
  return TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
}
