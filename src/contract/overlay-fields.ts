/** Returns the fields of both; the upper ones win, but for those that are undefined. */
export function overlayFields<T extends object>(below: T, above: Partial<T> | undefined): T {
  if (above === undefined) return below;
  const given = Object.entries(above).filter(([, value]) => value !== undefined);
  return { ...below, ...Object.fromEntries(given) };
}
