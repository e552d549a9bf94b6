import type { TokenCounter } from './token-count.js';

/** Characters of texts that are remembered at once: the conversations in hand, and little memory. */
const REMEMBERED = 4_000_000;

/**
 * Makes a counter that remembers what it has counted lately: a conversation is sent again and again with little at its
 * end that is new, and counting holds up everything else that a worker does.
 */
export function rememberCounts(count: TokenCounter, remembered = REMEMBERED): TokenCounter {
  const known = new Map<string, number>(); // in the order of their last use
  let characters = 0;
  return (text) => {
    const found = known.get(text);
    const tokens = found ?? count(text);
    if (found === undefined) characters += text.length;
    else known.delete(text);
    known.set(text, tokens);
    for (const [oldest] of known) {
      if (characters <= remembered) break;
      known.delete(oldest);
      characters -= oldest.length;
    }
    return tokens;
  };
}
