/** Chance that can be had again: the same numbers for the same seed. */
export type Random = {
  /** Returns a number in [0, 1). */
  readonly next: () => number;
  /** Returns a number of an exponential distribution. */
  readonly exponential: (mean: number) => number;
  /** Returns a number of a normal distribution. */
  readonly normal: (mean: number, deviation: number) => number;
};

/**
 * Returns a source of chance for a seed: xoshiro128** by Blackman and Vigna (prng.di.unimi.it), its state filled by
 * splitmix32. Streams of one seed are independent: what draws from one of them leaves the others as they are.
 */
export function createRandom(seed: number, stream = 0): Random {
  const fill = splitmix32((seed ^ Math.imul(stream + 1, 0x9e3779b9)) >>> 0);
  const next = xoshiro128(fill(), fill(), fill(), fill());
  const exponential = (mean: number): number => -Math.log(1 - next()) * mean;
  return {
    next,
    exponential,
    // Box and Muller's method: one of its two numbers
    normal: (mean, deviation) =>
      mean + deviation * Math.sqrt(2 * exponential(1)) * Math.cos(2 * Math.PI * next()),
  };
}

/** Returns the generator for a state of four 32-bit numbers, not all 0: numbers in [0, 1). */
export function xoshiro128(a: number, b: number, c: number, d: number): () => number {
  return () => {
    const scrambled = Math.imul(rotated(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotated(d, 11);
    return scrambled / 4_294_967_296;
  };
}

function rotated(bits: number, by: number): number {
  return (bits << by) | (bits >>> (32 - by));
}

function splitmix32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return mixed ^ (mixed >>> 15);
  };
}
