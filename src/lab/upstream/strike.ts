import type { IncomingMessage, ServerResponse } from 'node:http';
import { assertNever } from '../../budget/assert-never.js';
import { refusal } from './answers.js';
import type { RequestCounter } from './call-stats.js';
import type { StrikingFault } from './faults.js';
import type { Reply } from './perform-call.js';
import { hintHeaders, sendEvents, sendJson } from './wire.js';

/** One request on its way, with its counter. */
export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly counter: RequestCounter;
};

/** Returns whether a fault comes on this side of the effect; a 429 always comes before it. */
export function strikesAt(fault: StrikingFault, at: 'before-effect' | 'after-effect'): boolean {
  return (fault.kind === 'rate-limit' ? 'before-effect' : fault.at) === at;
}

/**
 * Ends a request by its fault. A dropped one stays open without an answer until the client or
 * the server's stop closes it; a reset one ends with a TCP RST.
 */
export function strike({ request, response, counter }: Exchange, fault: StrikingFault): void {
  counter.fault(fault.kind);
  switch (fault.kind) {
    case 'drop':
      counter.end('dropped');
      return;
    case 'reset':
      counter.end('reset');
      request.socket.resetAndDestroy();
      return;
    case 'status': {
      const { status, code } = fault;
      const answer = refusal({ status, code, message: `The lab answers ${status} on purpose.` });
      send({ request, response, counter }, { answer });
      return;
    }
    case 'rate-limit': {
      const message = 'Too many requests.';
      const answer = refusal({ status: 429, code: 'rate_limit_exceeded', message });
      const headers = hintHeaders(fault.hint, Date.now());
      send({ request, response, counter }, { answer, headers });
      return;
    }
    case 'refuse': {
      const { retryable } = fault;
      const body = {
        success: false,
        error: { code: 'not-done', message: 'The lab refuses on purpose.' },
        ...(retryable !== undefined && { retryable }),
      };
      send({ request, response, counter }, { answer: { status: 200, body, hasEffect: false } });
      return;
    }
    default:
      assertNever(fault);
  }
}

/** Sends a reply and counts its status; where the client is gone, the request's close counts. */
export function send({ response, counter }: Exchange, reply: Reply): void {
  const { answer, headers, events } = reply;
  if (response.destroyed) return;
  counter.end(String(answer.status));
  if (events) sendEvents(response, events);
  else
    sendJson(response, { status: answer.status, body: answer.body, ...(headers && { headers }) });
}
