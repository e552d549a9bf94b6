import type { Fault } from '../budget/errors.js';
import type {
  Answer,
  Decision,
  Settlement,
  WaitingApproval,
  WaitingQuestion,
  WaitingSettlement,
} from '../contract/messages.js';
import type { CallPolicy } from '../contract/policy.js';

/** What a person said, and when: epoch milliseconds of the workflow's clock. */
export type Said<Word> = { readonly word: Word; readonly at: number };

/** One thing that waits for a person's word. */
export type Waiting<Shown, Word> = {
  readonly id: string;
  /** What the query shows of it. */
  readonly shown: Shown;
  readonly deciders: CallPolicy['deciders'];
  /** Lists what is wrong with a word, where what waits has a say in that. */
  readonly faults?: (word: Word) => readonly Fault[];
  said?: Said<Word>;
};

const ENDS_KEPT = 100;

/** What waits for people's words of one kind, and how the last waits ended. */
export class Waitlist<Shown, Word> {
  private readonly open = new Set<Waiting<Shown, Word>>();
  private ends: readonly { readonly id: string; readonly end: string }[] = [];

  /** How many wait. */
  get size(): number {
    return this.open.size;
  }

  /** Returns what the query shows, the oldest first. */
  shown(): Shown[] {
    return [...this.open].map(({ shown }) => shown);
  }

  /** Returns who waits under an id: several calls may wait for word of one key. */
  waitingAs(id: string): Waiting<Shown, Word>[] {
    return [...this.open].filter((waiting) => waiting.id === id);
  }

  /** Returns how the last wait under an id ended, in words that follow its name. */
  endOf(id: string): string | undefined {
    return this.ends.findLast((ended) => ended.id === id)?.end;
  }

  add(waiting: Waiting<Shown, Word>): void {
    this.open.add(waiting);
  }

  /** Gives a word to all that wait under an id. */
  say(id: string, said: Said<Word>, end: string): void {
    for (const waiting of this.waitingAs(id)) {
      waiting.said = said;
      this.remove(waiting, end);
    }
  }

  /** Ends a wait; one that has got its word is left as it ended. */
  remove(waiting: Waiting<Shown, Word>, end: string): void {
    if (!this.open.delete(waiting)) return;
    this.ends = [...this.ends, { id: waiting.id, end }].slice(-ENDS_KEPT);
  }
}

/** Everything in a run that waits for people. */
export type People = {
  readonly approvals: Waitlist<WaitingApproval, Decision>;
  readonly questions: Waitlist<WaitingQuestion, Answer>;
  readonly settlements: Waitlist<WaitingSettlement, Settlement>;
};

/** Returns lists on which nothing waits. */
export function noPeople(): People {
  return {
    approvals: new Waitlist(),
    questions: new Waitlist(),
    settlements: new Waitlist(),
  };
}
