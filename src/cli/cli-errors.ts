import { HoldfastError } from '../budget/errors.js';

/** The command line is wrong: says which option, and what it takes. */
export class UsageError extends HoldfastError {
  readonly kind = 'usage';
}

/** What was asked for isn't there. */
export class NotFoundError extends HoldfastError {
  readonly kind = 'not-found';
}

/** The effect's state doesn't allow what was asked for. */
export class WrongStateError extends HoldfastError {
  readonly kind = 'wrong-state';
  constructor(
    readonly key: string,
    readonly state: string,
    message: string,
  ) {
    super(message);
  }
}

/** There is no such ledger. */
export class LedgerMissingError extends HoldfastError {
  readonly kind = 'ledger-missing';
}

/** The ledger holds what a person said, and the workflow could not be told. */
export class NotToldError extends HoldfastError {
  readonly kind = 'not-told';
  readonly key: string;
  readonly workflowId: string;
  readonly namespace: string;
  readonly reason: string;
  /** A command of the `temporal` CLI that tells it. */
  readonly command: string;

  constructor(facts: {
    readonly key: string;
    readonly workflowId: string;
    readonly namespace: string;
    readonly reason: string;
    readonly command: string;
    /** True where the workflow hears others than this person. */
    readonly needsOther: boolean;
  }) {
    super(
      `The ledger has been written, and the workflow ${facts.workflowId} may not have been told: ` +
        `${facts.reason.replace(/\.$/, '')}. To tell it${facts.needsOther ? ', with somebody as "by" who may' : ''}:\n  ${facts.command}`,
    );
    this.key = facts.key;
    this.workflowId = facts.workflowId;
    this.namespace = facts.namespace;
    this.reason = facts.reason;
    this.command = facts.command;
  }
}
