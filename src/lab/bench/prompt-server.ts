import { type DevServer, findTemporalCli, startDevServer } from '../temporal-server.js';

// 20 polls a second by default: 50 ms for each dispatch, which would hide what is measured
const dynamicConfig = { 'history.transferProcessorMaxPollRPS': '2000' };

/** Starts a development server that hands tasks to workers at once. */
export async function startPromptServer(log: (line: string) => void): Promise<DevServer> {
  return startDevServer({ cli: await findTemporalCli({ log }), log, dynamicConfig });
}
