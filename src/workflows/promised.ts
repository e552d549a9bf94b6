/**
 * Returns the work's promise, and a rejected one where the work throws at once: what an async function
 * does, without a promise of its own.
 */
export function promised<T>(work: () => Promise<T>): Promise<T> {
  try {
    return work();
  } catch (error) {
    return Promise.reject(error);
  }
}
