import type { RequestRecord } from '../upstream/index.js';

/** With holdfast, or with Temporal's default retry policy alone. */
export type SideId = 'holdfast' | 'plain';

/** The sides in the order in which they are shown. */
export const sideIds: readonly SideId[] = ['holdfast', 'plain'];

/** How a ticket ended for its user. */
export type TicketEnd = 'ok' | 'degraded' | 'failed' | 'hung';

/** One ticket. Times are milliseconds from the drill's start. */
export type TicketRecord = {
  readonly ticket: string;
  readonly startedAtMs: number;
  /** When its workflow ended; null where it had to be stopped. */
  readonly endedAtMs: number | null;
  readonly end: TicketEnd;
  /** Whether the user was told that the money is paid. */
  readonly isPaid: boolean;
};

/** A moment at which the worker's breaker was seen to reject calls, or to let them pass again. */
export type BreakerChange = { readonly atMs: number; readonly isOpen: boolean };

/** A request at the downstream. Times are milliseconds from the drill's start. */
export type DrillRequest = Pick<
  RequestRecord,
  'callId' | 'attempt' | 'status' | 'hadEffect' | 'tokens'
> & {
  readonly arrivedAtMs: number;
  readonly leftAtMs: number | null;
};

/** Everything that was seen of one side. */
export type SideRecords = {
  readonly id: SideId;
  readonly tickets: readonly TicketRecord[];
  readonly requests: readonly DrillRequest[];
  readonly breaker: readonly BreakerChange[];
};
