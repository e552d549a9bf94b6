/** Returns a word as a shell takes it: in single quotes, but for what needs none. */
export function shellWord(word: string): string {
  return /^[\w./:@=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
