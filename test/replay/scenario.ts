import type { Recorder } from '../support/record-histories.js';
import type { Recording } from '../support/recording.js';

/** Records one scenario: one recording, or one for each run of a chain. */
export type Scenario = (recorder: Recorder, name: string) => Promise<Recording | Recording[]>;

/** Does something while a worker runs. */
export async function withWorker<T>({ rig }: Recorder, run: () => Promise<T>): Promise<T> {
  const worker = await rig.startRescuer();
  try {
    return await run();
  } finally {
    await worker.stop();
  }
}
