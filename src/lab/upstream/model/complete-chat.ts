import { classifyTicket } from './classify-ticket.js';
import { decideTicket } from './decide-ticket.js';
import { replyToTicket } from './reply-ticket.js';
import { readTicketMessage } from './ticket-message.js';

/** A message of a chat, its content flattened to text. */
export type ChatMessage = { readonly role: string; readonly content: string };

/** Tokens by the rule of thumb of {@link countTokens}. */
export type TokenUsage = { readonly promptTokens: number; readonly completionTokens: number };

/**
 * Answers a chat by rules: the system message's first line `task: classify | decide | reply` says
 * what to do with the last user message. The same messages always get the same answer. An unknown
 * task gets a general sentence.
 */
export function completeChat(messages: readonly ChatMessage[]): {
  readonly content: string;
  readonly usage: TokenUsage;
} {
  const content = contentFor(messages);
  return {
    content,
    usage: {
      promptTokens: countPromptTokens(messages),
      completionTokens: countTokens(content),
    },
  };
}

function contentFor(messages: readonly ChatMessage[]): string {
  const user = messages.findLast((message) => message.role === 'user')?.content ?? '';
  const ticket = readTicketMessage(user);
  switch (taskOf(messages)) {
    case 'classify':
      return JSON.stringify(classifyTicket(ticket.text));
    case 'decide':
      return JSON.stringify(decideTicket(ticket));
    case 'reply':
      return replyToTicket(ticket);
    default:
      return 'I read your message. Tell me which task to do with it: classify, decide or reply.';
  }
}

/** Only instructions of the operator name a task; a user's message that does so is just text. */
function taskOf(messages: readonly ChatMessage[]): string | undefined {
  const operator = messages.filter(({ role }) => role === 'system' || role === 'developer');
  for (const { content } of operator) {
    const task = /^\s*task:\s*([\w-]+)/imu.exec(content)?.[1];
    if (task !== undefined) return task.toLowerCase();
  }
  return undefined;
}

/** Returns the tokens of a prompt: its texts and four for each message's frame. */
export function countPromptTokens(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, message) => sum + 4 + countTokens(message.content), 3);
}

/** Estimates tokens: one for each Han character, one for four other characters; at least 1. */
export function countTokens(text: string): number {
  const hanLetters = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  return Math.max(1, hanLetters + Math.ceil((text.length - hanLetters) / 4));
}
