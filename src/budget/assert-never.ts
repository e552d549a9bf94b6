/**
 * Ends a `switch` over a union: the compiler refuses it while a case is missing.
 * Throws a TypeError where data from outside carried an alternative that the types don't know.
 */
export function assertNever(value: never): never {
  throw new TypeError(`Unexpected alternative: ${String(value)}`);
}
