import { countTokens as countByVocabulary } from 'gpt-tokenizer/encoding/o200k_base';

/** Counts the tokens of a text. */
export type TokenCounter = (text: string) => number;

/** Of a longer text only the beginning is counted; the rest goes by its share. */
const MOST_COUNTED = 100_000;
const BYTES_PER_TOKEN = 4;

/** A tokenizer takes quadratic time over one unbroken run: 50,000 letters take seconds, in slices milliseconds. */
const longRuns = /\S{501,}|\s{501,}/gu;
const slices = /[\s\S]{1,500}/gu;

/**
 * Makes a counter that takes any text: it blocks the process for milliseconds only, takes special tokens for the text
 * that they are here, and where the vocabulary can't say, estimates by bytes. Never 0: a message costs something.
 */
export function createTokenCounter(count: TokenCounter = countPiece): TokenCounter {
  return (text) => {
    const counted = text.slice(0, MOST_COUNTED);
    const tokens = pieces(counted).reduce((sum, piece) => sum + countOrGuess(count, piece), 0);
    return Math.max(1, Math.ceil((tokens * text.length) / Math.max(1, counted.length)));
  };
}

/** Cuts unbroken runs into slices; all other text stays whole, so that no word is cut. */
export function pieces(text: string): string[] {
  const found: string[] = [];
  let end = 0;
  for (const { 0: run, index } of text.matchAll(longRuns)) {
    if (index > end) found.push(text.slice(end, index));
    found.push(...(run.match(slices) ?? []));
    end = index + run.length;
  }
  if (end < text.length) found.push(text.slice(end));
  return found;
}

function countPiece(piece: string): number {
  return countByVocabulary(piece, { disallowedSpecial: new Set() });
}

function countOrGuess(count: TokenCounter, piece: string): number {
  try {
    return count(piece);
  } catch {
    return Math.ceil(Buffer.byteLength(piece) / BYTES_PER_TOKEN); // a guess is better than no answer
  }
}
