import { HoldfastError, InvalidRequestError } from '../budget/errors.js';

/** The command line is wrong: says which option, and what it takes. */
export class UsageError extends HoldfastError {
  readonly kind = 'usage';
}

/** A file that a command was given breaks rules: says which file, and each fault of it. */
export class InvalidFileError extends InvalidRequestError {
  constructor(
    /** Its path, or `-` for standard input. */
    readonly file: string,
    cause: InvalidRequestError,
  ) {
    const [first, ...others] = cause.faults;
    super([first ?? cause, ...others]); // a refusal has a fault at least
    this.message = `${file === '-' ? 'standard input' : file}: ${cause.message}`;
  }
}

/** Ends a command with an exit code of its own, where what it has printed says why. */
export class ToldEnd extends HoldfastError {
  readonly kind = 'told';
  constructor(readonly exitCode: number) {
    super('The command has said why it ends so.');
  }
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

/** The Temporal server gives no answer, or lets nobody in. */
export class ServerUnreachableError extends HoldfastError {
  readonly kind = 'server-unreachable';
  constructor(
    readonly address: string,
    readonly reason: string,
    cause: unknown,
  ) {
    super(
      `The Temporal server at ${address} can't be used: ${reason}.\n` +
        "Name another by --address and --namespace, or as Temporal's own tools take it (TEMPORAL_ADDRESS).",
      { cause },
    );
  }
}

/** Checks were made, and found faults. */
export class ChecksFailedError extends HoldfastError {
  readonly kind = 'checks-failed';
  constructor(
    readonly faults: number,
    readonly checks: number,
  ) {
    super(`${faults} of ${checks} checks found a fault.`);
  }
}

type SettlementFacts = {
  readonly key: string;
  readonly workflowId: string;
  readonly namespace: string;
  readonly reason: string;
};

abstract class SettlementError extends HoldfastError {
  readonly key: string;
  readonly workflowId: string;
  readonly namespace: string;
  readonly reason: string;

  constructor(facts: SettlementFacts, message: string) {
    super(message);
    this.key = facts.key;
    this.workflowId = facts.workflowId;
    this.namespace = facts.namespace;
    this.reason = facts.reason;
  }
}

/** The workflow waits, and refuses what a person says: nothing was written. */
export class SettlementRefusedError extends SettlementError {
  readonly kind = 'settlement-refused';
  constructor(facts: SettlementFacts) {
    super(
      facts,
      `Nothing was written: the workflow ${facts.workflowId} waits, and refused: ${facts.reason}`,
    );
  }
}

/** Nobody knows whether the workflow takes what a person says: nothing was written. */
export class WorkflowUnreachableError extends SettlementError {
  readonly kind = 'workflow-unreachable';
  constructor(facts: SettlementFacts) {
    super(
      facts,
      `Nothing was written: the workflow ${facts.workflowId} could not be asked: ${facts.reason}.\n` +
        'Try again later, or write the ledger without asking: --no-tell.',
    );
  }
}

/** The workflow has taken what a person says, and the ledger has not. */
export class NotWrittenError extends SettlementError {
  readonly kind = 'not-written';
  constructor(facts: SettlementFacts) {
    super(
      facts,
      `The workflow ${facts.workflowId} has been told, and the ledger was not written: ${facts.reason}\n` +
        `The workflow's next attempt writes it if it is still unknown. To see: holdfast ledger show ${facts.key}`,
    );
  }
}
