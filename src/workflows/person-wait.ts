import { CancellationScope } from '@temporalio/workflow';
import type { WaitingNotice } from '../contract/messages.js';
import { stateOf } from './call-plan.js';
import type { RunContext } from './run-context.js';
import { pauseDeadline, resumeDeadline } from './run-state.js';
import type { Said, Waiting, Waitlist } from './waitlist.js';

/** A wait for a person's word. */
export type PersonWait<Shown, Word> = {
  readonly list: Waitlist<Shown, Word>;
  readonly waiting: Waiting<Shown, Word>;
  readonly notice: WaitingNotice['waiting'];
  /** Waits until the word is there or the time is over. */
  readonly until: (isSaid: () => boolean) => Promise<unknown>;
};

/**
 * Waits for a person's word; undefined where none came in time. Whoever is to know of it is notified; a
 * notice that is still on its way when the wait ends is withdrawn. Throws only when it is cancelled.
 */
export async function personsWord<Shown, Word>(
  run: RunContext,
  { list, waiting, notice, until }: PersonWait<Shown, Word>,
): Promise<Said<Word> | undefined> {
  const notifying = new CancellationScope();
  let end = 'was cancelled at';
  // A run that continues as new waits for people as it waits for calls in flight.
  run.inFlight += 1;
  list.add(waiting);
  const stops = notice.kind === 'settlement' ? 0 : 1;
  keepClock(run, stops);
  // The gate has booked a notice that failed: that changes nothing for what waits.
  const notified = notifying.run(async () => run.notify?.(notice)).catch(() => {});
  try {
    await until(() => waiting.said !== undefined);
    end = 'got no word until';
    return waiting.said;
  } finally {
    list.remove(waiting, `${end} ${new Date().toISOString()}`);
    keepClock(run, -stops);
    notifying.cancel();
    await notified;
    run.inFlight -= 1;
  }
}

/** The deadline stands still exactly while a decision or an answer is awaited, be it one or many. */
function keepClock(run: RunContext, stops: number): void {
  run.stopsClock += stops;
  const keep = run.stopsClock > 0 ? pauseDeadline : resumeDeadline;
  run.state = keep(stateOf(run), Date.now());
}
