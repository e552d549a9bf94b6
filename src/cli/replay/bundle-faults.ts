/** Returns the first sentence of each of webpack's errors, and where it is: three at most. */
export function bundleFaults(log: string): readonly string[] {
  return [...log.matchAll(/^ERROR in (.+)\n(.+)/gm)]
    .slice(0, 3)
    .map(([, place, sentence]) => `${sentence} (${place})`);
}
