/** Sets this process's clock ahead by some milliseconds, or back; timers keep their pace. */
export function skewClock(offsetMs: number): void {
  if (offsetMs === 0) return;
  const { now } = Date;
  const skewed = (): number => now() + offsetMs;
  globalThis.Date = new Proxy(Date, {
    construct: (target, given: unknown[]) =>
      Reflect.construct(target, given.length === 0 ? [skewed()] : given),
    apply: () => new Date(skewed()).toString(),
    get: (target, name) => (name === 'now' ? skewed : Reflect.get(target, name)),
  });
}
