import { HoldfastError } from '../budget/errors.js';
import { findTemporalCli, findTestServer } from './find-program.js';

/**
 * Finds or fetches the programs that the tests run and prints one `VARIABLE=path` line for each to
 * standard output; progress and failures go to standard error. Exit code 1 when one is missing.
 */
const log = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

try {
  process.stdout.write(`TEMPORAL_CLI_PATH=${await findTemporalCli({ log })}\n`);
  process.stdout.write(`TEMPORAL_TEST_SERVER_PATH=${await findTestServer({ log })}\n`);
} catch (error) {
  if (!(error instanceof HoldfastError)) throw error;
  log(error.message);
  process.exitCode = 1;
}
