import { type Answer, answerEmail, answerLookup, answerRefund, refusal } from './answers.js';
import type { RequestCounter } from './call-stats.js';
import { answerChat } from './chat-wire.js';
import type { Misbehaviour } from './faults.js';
import type { KeyClaim, KeyedAnswers } from './keyed-answers.js';
import type { CallRoute } from './routes.js';

/** An answer ready to be sent. */
export type Reply = {
  readonly answer: Answer;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent in place of the answer's body. */
  readonly events?: readonly string[] | undefined;
};

/** A request whose key was looked at: it can be performed once, or given up. */
export type PreparedCall = {
  /** Does what the request asks for, counts it, and returns the reply. */
  perform(): Reply;
  /** Forgets the key's claim where nothing was done yet. */
  giveUp(): void;
};

const longestKey = 255;

/**
 * Looks at the idempotency key of a refund or an e-mail and returns what is left to do. Without a
 * key, or where keys are not honoured, each call does its work.
 */
export function prepareCall(facts: {
  readonly route: CallRoute;
  readonly body: unknown;
  readonly key: string | undefined;
  /** undefined where this server doesn't honour keys. */
  readonly keys: KeyedAnswers | undefined;
  readonly counter: RequestCounter;
  readonly newId: (prefix: string) => string;
  /** How the model's turn is to go wrong. */
  readonly misbehaviour: Misbehaviour | undefined;
}): PreparedCall {
  const { route, body, key, keys, counter } = facts;
  const hasKey = (route.kind === 'refunds' || route.kind === 'emails') && key !== undefined;
  if (!hasKey || !keys) return { perform: () => work(facts, undefined), giveUp: () => {} };
  if (key.length > longestKey) {
    const message = `An idempotency key has at most ${longestKey} characters, got ${key.length}.`;
    return refuse(refusal({ status: 400, code: 'invalid-key', message }));
  }
  const claim = keys.claim({ route: route.kind, key, body });
  switch (claim.kind) {
    case 'fresh':
      return { perform: () => work(facts, claim), giveUp: () => claim.release() };
    case 'replay':
      return {
        perform() {
          counter.replay();
          return { answer: claim.answer, headers: { 'idempotency-replayed': 'true' } };
        },
        giveUp: () => {},
      };
    case 'in-progress': {
      const message = 'A request with this idempotency key is still running.';
      return refuse(refusal({ status: 409, code: 'key-in-progress', message }));
    }
    case 'other-body': {
      const message = 'This idempotency key was used with another body.';
      return refuse(refusal({ status: 422, code: 'key-reused', message }));
    }
  }
}

function work(
  facts: {
    readonly route: CallRoute;
    readonly body: unknown;
    readonly counter: RequestCounter;
    readonly newId: (prefix: string) => string;
    readonly misbehaviour: Misbehaviour | undefined;
  },
  claim: Extract<KeyClaim, { kind: 'fresh' }> | undefined,
): Reply {
  const reply = replyTo(facts);
  if (reply.answer.hasEffect) {
    facts.counter.effect(facts.body);
    claim?.settle(reply.answer);
  } else {
    claim?.release(); // a refused body did nothing: the key stays free for a mended one
  }
  return reply;
}

function replyTo(facts: {
  readonly route: CallRoute;
  readonly body: unknown;
  readonly counter: RequestCounter;
  readonly newId: (prefix: string) => string;
  /** How the model's turn is to go wrong. */
  readonly misbehaviour: Misbehaviour | undefined;
}): Reply {
  const { route, body, counter, newId, misbehaviour } = facts;
  switch (route.kind) {
    case 'lookup':
      return { answer: answerLookup(route.orderId) };
    case 'refunds':
      return { answer: answerRefund(body, newId('refund')) };
    case 'emails':
      return { answer: answerEmail(body, newId('message')) };
    case 'chat': {
      const { answer, usage, events, isSpoiled } = answerChat(body, { newId, misbehaviour });
      if (usage) counter.tokens(usage);
      if (isSpoiled) counter.fault(`misbehave ${misbehaviour}`);
      return { answer, events };
    }
  }
}

function refuse(answer: Answer): PreparedCall {
  return { perform: () => ({ answer }), giveUp: () => {} };
}
