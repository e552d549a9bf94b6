import { activityInfo, asyncLocalStorage } from '@temporalio/activity';

/**
 * Loaded with `--import` before a worker of the demo. Each request that an activity sends gets the
 * name of its logical call, so that the upstream deals every column the same faults; the agent's code
 * knows nothing of it. For workflows of the type `layersOfThree` it also is the retrying HTTP client
 * that such stacks have at the bottom.
 */
const send = globalThis.fetch;
const httpAttempts = 3;
const firstPauseMs = 200;

globalThis.fetch = async (input, init) => {
  if (asyncLocalStorage.getStore() === undefined) return send(input, init);
  const { workflowExecution, workflowType, activityType } = activityInfo();
  const ticket = workflowExecution?.workflowId.split('.')[0];
  const headers = new Headers(init?.headers);
  headers.set('x-lab-call', `${ticket}/${activityType}`);
  const attempts = workflowType === 'layersOfThree' ? httpAttempts : 1;
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt === attempts;
    try {
      const response = await send(input, { ...init, headers });
      if (isLast || (response.status !== 429 && response.status < 500)) return response;
    } catch (error) {
      if (isLast) throw error;
    }
    await pause(firstPauseMs * 2 ** (attempt - 1));
  }
};

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
