import type { EffectHappened, StoredFailure } from '../contract/effect-record.js';

/** Where an effect stands. */
export type EntryState =
  /** An attempt holds the claim; once its lease has run out, nobody knows whether the effect happened. */
  | 'claimed'
  /** The effect has happened; `result` or `failure` is what a replay answers. */
  | 'done'
  /** The downstream refused for good, and the tool marked that refusal `final`; `failure` says how. */
  | 'refused'
  /** Proven not to have happened: the next claim may run. */
  | 'released'
  /** Nobody knows whether the effect happened (R7). */
  | 'unknown'
  /** It has happened, or may have, and was taken back: it is neither answered nor caused again under this key. */
  | 'undone';

/** What a call asks for before it causes its effect. */
export type ClaimRequest = {
  /** The idempotency key, at most 255 characters. */
  readonly key: string;
  /** SHA-256, hex, of the exact canonical arguments. */
  readonly fingerprint: string;
  /** True where the tool declares what makes its calls equal: other arguments are then a replay (R3). */
  readonly ownIdentity: boolean;
  /** Names this attempt, and only it: a claim whose answer was lost is asked for again under the same owner. */
  readonly owner: string;
  /** Milliseconds that the claim is held, from the database's present on (R8). */
  readonly leaseMs: number;
  /**
   * What is done with an effect of which nobody knows: `resend` claims it again while the key window is open
   * (the downstream honours keys), `report` answers `unknown`.
   */
  readonly onUnknown: 'resend' | 'report';
  /** Milliseconds from the first claim on in which the downstream remembers the key (R9). */
  readonly keyWindowMs: number;
  /** The approval that this claim consumes, where a person had to decide (R13). */
  readonly approval?: string | undefined;
  /** What the entry says of its call, for whoever looks at it. */
  readonly about: EffectOrigin;
};

/** Whose effect it is. */
export type EffectOrigin = {
  readonly namespace: string;
  readonly workflowId: string;
  readonly runId: string;
  readonly tool: string;
  readonly downstream: string;
  readonly tenant?: string | undefined;
};

/** A claim that an attempt holds. */
export type HeldClaim = {
  readonly key: string;
  /** Fencing token: it grows with each claim of the key. */
  readonly epoch: number;
};

/** What the ledger answers to a claim. */
export type ClaimAnswer =
  | {
      readonly kind: 'claimed';
      readonly claim: HeldClaim;
      /** True where an earlier attempt may have caused the effect: it is sent again under the same key. */
      readonly reclaimed: boolean;
    }
  /** The effect has happened, or was refused for good: this is its end. */
  | {
      readonly kind: 'replayed';
      readonly end: RecordedEnd;
      readonly argumentsDiffer: boolean;
      /** Who gave that end, where no attempt did: nothing has checked it. */
      readonly settledBy?: string;
    }
  /** A live attempt holds it for at most `waitMs` more milliseconds. */
  | { readonly kind: 'in-progress'; readonly waitMs: number }
  /** The key belongs to a call with other arguments. */
  | { readonly kind: 'conflict' }
  /** The approval has been consumed by the claim of another key. */
  | { readonly kind: 'approval-consumed' }
  /** The effect was taken back: `by` names the tool that did it. */
  | { readonly kind: 'undone'; readonly by: string }
  | {
      readonly kind: 'unknown';
      readonly epoch: number;
      readonly reason: string;
      /** Milliseconds until the lease of the attempt that left it so has run out; 0 once it has. */
      readonly leaseLeftMs: number;
    };

/** How an effect ended, for good. */
export type RecordedEnd =
  | { readonly kind: 'done'; readonly effect: EffectHappened }
  | { readonly kind: 'refused'; readonly failure: StoredFailure };

/** What an attempt, or a probe in its name, says at its end. */
export type SettledEnd =
  | RecordedEnd
  | { readonly kind: 'released' }
  | { readonly kind: 'unknown'; readonly reason: string };

/** What became of a settle: a stale one comes from an attempt whose claim another has taken over (R8). */
export type SettleAnswer = 'settled' | 'stale';

/** What a person says of an effect that nobody knew of. */
export type Resolution = {
  /** True: it has happened, with this result. False: it has not, so that it may run. */
  readonly end: { readonly kind: 'done'; readonly result: unknown } | { readonly kind: 'not-done' };
  readonly by: string;
  readonly note: string;
  /** The epoch of the entry that the person looked at; without one, whichever it has. */
  readonly epoch?: number | undefined;
};

/** What became of a resolution: only an unknown effect, or one whose lease has run out, can be resolved. */
export type ResolveAnswer =
  | { readonly kind: 'resolved' }
  /** It is unknown, but by a later attempt than the one of the epoch: what was said isn't about that one. */
  | { readonly kind: 'superseded' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'not-unknown'; readonly state: EntryState };

/** One effect as the ledger keeps it. Times are epoch milliseconds of the database's clock. */
export type LedgerEntry = EffectOrigin & {
  readonly key: string;
  readonly fingerprint: string;
  /** A claim whose lease has run out reads `unknown`. */
  readonly state: EntryState;
  readonly epoch: number;
  /** Why it is unknown. */
  readonly reason: string | null;
  readonly end: RecordedEnd | null;
  readonly approval: string | null;
  readonly leaseUntil: number;
  readonly firstClaimedAt: number;
  readonly claimedAt: number;
  readonly settledAt: number | null;
  readonly settledBy: string | null;
  readonly note: string | null;
  /** Settles that were refused because another attempt had taken over. */
  readonly staleSettles: number;
};

/** Which entries to list. */
export type ListQuery = {
  readonly state?: EntryState | undefined;
  readonly workflowId?: string | undefined;
  readonly tool?: string | undefined;
  /** What the key begins with: 8 to 64 hex digits, as idempotency keys have them. */
  readonly keyPrefix?: string | undefined;
  /** @default 100 */
  readonly limit?: number | undefined;
  /** The `next` of an earlier page. */
  readonly after?: string | undefined;
};

/** A page of entries, those first that were claimed last. */
export type ListPage = {
  readonly entries: readonly LedgerEntry[];
  /** Hand it in as `after` for the next page; null on the last one. */
  readonly next: string | null;
};

/** What a sweep did. */
export type Swept = {
  /** Entries past their retention that were removed. */
  readonly removed: number;
  /** Claims whose lease had run out, which are `unknown` from then on. */
  readonly expired: number;
};

/** What this process has asked of the ledger so far (R14). */
export type LedgerCounts = {
  readonly claimed: number;
  readonly replayed: number;
  readonly inProgress: number;
  readonly conflict: number;
  readonly unknown: number;
  readonly reclaimed: number;
  readonly staleSettle: number;
};

/**
 * Remembers which effects have happened. Every method throws LedgerUnavailableError where the store gives no
 * answer; what was asked for may then have been written or not.
 */
export interface Ledger {
  readonly kind: 'sqlite' | 'postgres';
  /** Milliseconds that a settled entry is kept, at least; an unknown one is kept until somebody settles it. */
  readonly retentionMs: number;
  /** Takes the right to cause an effect, or says why not: one atomic, conditional insert (R3). */
  claim(request: ClaimRequest): Promise<ClaimAnswer>;
  /** Lengthens a lease. Returns false where another attempt has taken over. */
  renew(claim: HeldClaim, leaseMs: number): Promise<boolean>;
  /** Writes the end of a claim. The same end of the same claim may be written twice. */
  settle(claim: HeldClaim, end: SettledEnd): Promise<SettleAnswer>;
  /** Writes what a person knows. */
  resolve(key: string, resolution: Resolution): Promise<ResolveAnswer>;
  /** Notes that an effect has been taken back, by the tool of that name; one that never was is left as it is. */
  undo(key: string, by: string): Promise<void>;
  find(key: string): Promise<LedgerEntry | undefined>;
  list(query?: ListQuery): Promise<ListPage>;
  /** Removes what is past its retention and marks what has run out of its lease, in batches of bounded size. */
  sweep(options?: {
    readonly batchSize?: number | undefined;
    readonly onBatch?: (soFar: Swept) => void;
  }): Promise<Swept>;
  counts(): LedgerCounts;
  close(): Promise<void>;
}
