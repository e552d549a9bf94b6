import { defineBatch } from '../../../workflows/batch.js';

/** As little as a workflow can do: what is measured is the batch. */
export async function nothing(): Promise<void> {}

/** Runs it for each line of a file. */
export const batchOfNothing = defineBatch({ workflow: nothing, pauseMs: 0 });
