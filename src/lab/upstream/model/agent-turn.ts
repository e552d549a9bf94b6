import { type AgentMessage, readCalls, type SeenCall } from './agent-conversation.js';
import { callOf, orderFrom, type ToolRole, toolFor, wrongCalls } from './agent-facts.js';
import { type AgentEnds, reportEnds } from './agent-report.js';
import { intentOf } from './classify-ticket.js';
import { decideTicket, type TicketDecision } from './decide-ticket.js';
import { detectLanguage, type Language } from './language.js';
import { fillFields, type OfferedTool } from './offered-tool.js';
import { replyToTicket } from './reply-ticket.js';
import { isObject, parseObject, readTicketMessage, type TicketMessage } from './ticket-message.js';
import { findOrderIds, readSignals } from './ticket-signals.js';

/** A tool call that the agent makes. */
export type AgentCall = {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
};

/** What the agent does next: it calls tools, several at once where they don't depend on one another, or it is done. */
export type AgentTurn =
  | { readonly kind: 'calls'; readonly calls: readonly AgentCall[] }
  | { readonly kind: 'text'; readonly text: string };

/** A tool that was called wrongly so often is given up. */
const patience = 3;

/**
 * Returns the next turn of an agent that works through a ticket by rules: classify, look the orders up, pay back,
 * write to the customer, as far as there are tools for it, and then say truthfully what was done and what wasn't.
 * The same conversation always gets the same turn.
 * @param offered the tools that may be called; none where the agent has to answer
 */
export function agentTurn(
  messages: readonly AgentMessage[],
  offered: readonly OfferedTool[],
): AgentTurn {
  const task = readTask(messages);
  const calls = nextCalls(task, offered);
  return calls.length > 0
    ? { kind: 'calls', calls }
    : { kind: 'text', text: reportEnds(endsOf(task), task.language) };
}

/** What the agent knows of its task so far. */
type AgentTask = {
  readonly ticket: Readonly<Record<string, unknown>>;
  readonly message: TicketMessage;
  readonly language: Language;
  readonly orderIds: readonly string[];
  readonly decision: TicketDecision;
  readonly calls: readonly SeenCall[];
};

function readTask(messages: readonly AgentMessage[]): AgentTask {
  const content = messages.find(({ role }) => role === 'user')?.content ?? '';
  const root = parseObject(content) ?? {};
  const ticket = isObject(root.ticket) ? root.ticket : root;
  const seen = readCalls(messages);
  const plain = readTicketMessage(content);
  const [orderId, ...others] = findOrderIds(plain.text);
  // An order that couldn't be looked up is as good as none: nothing is paid back for it.
  const order = orderId === undefined ? undefined : (orderFrom(seen, orderId) ?? null);
  const message = { ...plain, order };
  return {
    ticket,
    message,
    language: plain.language ?? detectLanguage(plain.text),
    orderIds: orderId === undefined ? [] : [orderId, ...others],
    // The refund's tool asks a person above its own limit.
    decision: decideTicket(message, Number.POSITIVE_INFINITY),
    calls: seen,
  };
}

function nextCalls(task: AgentTask, offered: readonly OfferedTool[]): readonly AgentCall[] {
  const { calls, orderIds, decision, ticket } = task;
  const isOpen = (role: ToolRole, fits?: (input: SeenCall['input']) => boolean): boolean => {
    if (wrongCalls(role, calls) >= patience) return false;
    const end = callOf(role, calls, fits)?.end;
    return end === undefined || end.kind === 'refused';
  };
  const call = (role: ToolRole, facts: Readonly<Record<string, unknown>>): AgentCall[] => {
    const tool = toolFor(role, offered);
    return tool ? [{ name: tool.name, input: fillFields(tool, facts) }] : [];
  };
  if (isOpen('classify')) {
    const first = call('classify', { ticket, text: task.message.text });
    if (first.length > 0) return first;
  }
  const missing = orderIds.filter((id) => isOpen('lookup', (input) => input.orderId === id));
  const lookups = missing.flatMap((orderId) => call('lookup', { orderId }));
  if (lookups.length > 0) return lookups;
  if (decision.action === 'refund' && isOpen('refund')) {
    const { amountCents, reason } = decision;
    const refund = call('refund', { orderId: orderIds[0], amountCents, reason });
    if (refund.length > 0) return refund;
  }
  return isOpen('letter') ? call('letter', letterFacts(task)) : [];
}

function letterFacts(task: AgentTask): Readonly<Record<string, unknown>> {
  const { ticket, message } = task;
  const text = replyToTicket({
    ...message,
    language: task.language,
    decision: letterDecision(task),
  });
  return {
    ticket,
    ticketId: ticket.id,
    to: ticket.from,
    subject: `Re: ${String(ticket.subject ?? '')}`,
    text,
    body: text,
  };
}

/** A letter promises a refund only where it was paid; one that wasn't goes to a person. */
function letterDecision(task: AgentTask): NonNullable<TicketMessage['decision']> {
  const { refund } = endsOf(task);
  if (task.decision.action !== 'refund') {
    return { action: task.decision.action, amountCents: undefined };
  }
  return refund.kind === 'paid'
    ? { action: 'refund', amountCents: refund.amountCents }
    : { action: 'escalate', amountCents: undefined };
}

function endsOf({ calls, decision, message, orderIds }: AgentTask): AgentEnds {
  const isHandedOver =
    decision.action === 'escalate' && intentOf(readSignals(message.text)) === 'refund';
  const asksRefund = decision.action === 'refund' || isHandedOver;
  const orderId = orderIds[0];
  const letter = callOf('letter', calls)?.end;
  const isUncertain = letter?.kind === 'failed' && letter.mayHaveHappened;
  return {
    orderId,
    refund: refundEnd(callOf('refund', calls), asksRefund),
    letter: letter?.kind === 'value' ? 'sent' : isUncertain ? 'unconfirmed' : 'not-sent',
  };
}

function refundEnd(call: SeenCall | undefined, asksRefund: boolean): AgentEnds['refund'] {
  if (!call) return { kind: asksRefund ? 'not-paid' : 'none' };
  const amountCents = Number(call.input.amountCents ?? 0);
  if (call.end.kind === 'value') return { kind: 'paid', amountCents };
  const isUncertain = call.end.kind === 'failed' && call.end.mayHaveHappened;
  return isUncertain ? { kind: 'unconfirmed', amountCents } : { kind: 'not-paid' };
}
