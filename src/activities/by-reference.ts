import { setTimeout as pause } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityExecuteInput } from '@temporalio/worker';
import { HoldfastError } from '../budget/errors.js';
import { type CallHeader, type Envelope, envelopeOf, type Sums } from '../contract/call-header.js';
import { isPlainObject } from '../contract/json.js';
import { MODEL_GENERATE } from '../contract/model.js';
import type { StoredResult } from '../contract/stored-result.js';
import { storedBody } from '../conversations/conversation.js';
import { ConversationsUnavailableError } from '../conversations/conversation-errors.js';
import type { ConversationStore } from '../conversations/conversations.js';
import { withWaste } from './attempt-usage.js';
import { askedTurn, openTurn, toolsLost } from './conversation-turn.js';
import { attemptFailure, waitFailure } from './failure.js';

/** A worker without a store that got a call whose arguments or result stand in one. */
export class ConversationsMissingError extends HoldfastError {
  readonly kind = 'conversations-missing';

  constructor(activityType: string) {
    super(
      `${activityType} was called by an agent loop, whose conversation stands in a store, and this worker has ` +
        'none: open one (openConversations of holdfast/conversations) and pass it as holdfast({ conversations }).',
    );
  }
}

/** An activity on its way to its attempt. */
export type ReferringCall = {
  readonly activityType: string;
  /** Undefined where the gate never saw it. */
  readonly header: CallHeader | undefined;
  /** What attempts before this one did. */
  readonly before: Sums;
  readonly conversations: ConversationStore | undefined;
};

type Run = (input: ActivityExecuteInput) => Promise<unknown>;

const PREVIEW_CHARACTERS = 120;
const WAIT_MS = 1_000;
const PUT_AGAIN_FOR_MS = 3_000;
const PUT_PAUSE_MS = 100;

/** Stores that couldn't keep a result last: nothing else is sent whose result is for them until they can. */
const away = new WeakSet<ConversationStore>();
const nothing = storedBody(null);

/**
 * Runs an activity whose arguments or result stand in the store of conversations: a model's turn gets its messages,
 * and a result that is wanted by reference comes back as its hash. Any other is run as it is.
 */
export async function runReferring(
  call: ReferringCall,
  input: ActivityExecuteInput,
  run: Run,
): Promise<unknown> {
  const isModel = call.activityType === MODEL_GENERATE;
  const asked = isModel ? askedTurn(input.args[0]) : undefined;
  if (asked === undefined && call.header?.byReference !== true) return run(input);
  const { conversations } = call;
  if (conversations === undefined) {
    throw refusal(call, new ConversationsMissingError(call.activityType));
  }
  if (asked === undefined) {
    if (away.has(conversations)) await reading(call, () => conversations.put([nothing]));
    return keep(call, await run(input), (value) => storeResult(conversations, value));
  }
  const turn = await reading(call, () => openTurn(conversations, asked));
  if (turn === undefined) return lostTools(call);
  const answer = await run({ ...input, args: [turn.input, ...input.args.slice(1)] });
  return keep(call, answer, turn.close);
}

async function storeResult(store: ConversationStore, value: unknown): Promise<StoredResult> {
  const stored = storedBody(value);
  await store.put([stored]);
  const { hash, body } = stored;
  const bytes = Buffer.byteLength(body);
  const preview = [...body.slice(0, 2 * PREVIEW_CHARACTERS)].slice(0, PREVIEW_CHARACTERS).join('');
  return { $holdfastStored: 1, hash, bytes, preview };
}

/** Puts what came of a call into the store, and what the history keeps of it into its envelope. */
async function keep(
  call: ReferringCall,
  result: unknown,
  store: (value: unknown) => Promise<unknown>,
): Promise<unknown> {
  const envelope = envelopeIn(result);
  const value = envelope === undefined ? result : envelope.value;
  try {
    const kept = await persistently(() => store(value));
    if (call.conversations !== undefined) away.delete(call.conversations);
    return envelope === undefined ? kept : { ...envelope, value: kept };
  } catch (error) {
    if (!(error instanceof ConversationsUnavailableError)) throw refusal(call, error);
    if (call.conversations !== undefined) away.add(call.conversations);
    throw waiting(call, error, sumsAfter(call, envelope));
  }
}

/** The work is done: the store gets a few seconds before the call has to be made again for its answer. */
async function persistently<T>(write: () => Promise<T>): Promise<T> {
  for (const startedAt = performance.now(); ; await pause(PUT_PAUSE_MS)) {
    try {
      return await write();
    } catch (error) {
      const isOver = performance.now() - startedAt > PUT_AGAIN_FOR_MS;
      if (isOver || !(error instanceof ConversationsUnavailableError)) throw error;
    }
  }
}

async function reading<T>(call: ReferringCall, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ConversationsUnavailableError)) throw refusal(call, error);
    throw waiting(call, error, call.before);
  }
}

/** An outage of the store costs no call its retries: it gives its slot back and comes again. */
function waiting({ header }: ReferringCall, error: Error, sums: Sums): Error {
  if (header === undefined) return error;
  const waitMs = WAIT_MS * (1 + Math.random());
  return waitFailure({ sums, waitMs, what: 'conversations' });
}

/** Nothing that the attempt can do mends it. */
function refusal({ header, before }: ReferringCall, thrown: unknown): Error {
  if (header === undefined) {
    const kind = thrown instanceof HoldfastError ? thrown.kind : 'conversation';
    return ApplicationFailure.nonRetryable(String(thrown), kind);
  }
  const isLost = thrown instanceof HoldfastError && thrown.kind === 'conversation-lost';
  const detail = {
    $holdfast: 1,
    sums: before,
    class: isLost ? 'not-found' : 'invalid-request',
    fallback: false,
    retryable: false,
    retryAfterMs: null,
    stop: null,
  } as const;
  return attemptFailure({ thrown, detail, delayMs: undefined, adopted: header.adopted });
}

/** Nothing was sent: it counts nowhere, as an answer of the ledger's does. */
function lostTools({ header, before }: ReferringCall): unknown {
  if (header === undefined) return toolsLost;
  return { ...envelopeOf(toolsLost, before), replayed: true };
}

/** An answer that couldn't be kept has cost its tokens all the same. */
function sumsAfter({ before }: ReferringCall, envelope: Envelope | undefined): Sums {
  const sums = envelope?.sums ?? before;
  const { tokens = 0, cost = 0 } = envelope ?? {};
  return withWaste(sums, { tokens, costMicros: cost });
}

function envelopeIn(result: unknown): Envelope | undefined {
  if (!isPlainObject(result) || result.$holdfast !== 1) return undefined;
  return result as Envelope; // the mark is the attempt's own
}
