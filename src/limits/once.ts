/** Returns a function that runs at its first call only. */
export function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    run();
  };
}

/** Returns a function that runs all of these at its first call only. */
export function allOnce(functions: readonly (() => void)[]): () => void {
  return once(() => {
    for (const run of functions) run();
  });
}
