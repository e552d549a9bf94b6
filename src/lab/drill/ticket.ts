/** What a ticket's workflow is given. */
export type DrillTicket = {
  readonly ticket: string;
  readonly orderId: string;
  /** Calls that a worker may have in flight, with holdfast. */
  readonly maxConcurrent: number;
};

/** What a ticket's user reads. */
export type DrillAnswer = {
  readonly text: string;
  /** Whether the user was told that the money is paid. */
  readonly isPaid: boolean;
  /** Steps that a fallback answered. */
  readonly degraded: readonly string[];
};
