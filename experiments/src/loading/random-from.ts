/** Returns a source of numbers of [0, 1), the same ones for the same seed, by mulberry32. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a source for one of many things under a seed: it does not depend on what others draw. */
export function randomOf(seed: number, name: string): () => number {
  let hash = seed >>> 0;
  for (const letter of name) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193) >>> 0;
  return randomFrom(hash);
}

/** Draws one of a list, by weights if there are any. */
export function draw<T>(
  random: () => number,
  list: readonly T[],
  weightOf: (item: T) => number = () => 1,
): T {
  const total = list.reduce((sum, item) => sum + weightOf(item), 0);
  let left = random() * total;
  for (const item of list) {
    left -= weightOf(item);
    if (left < 0) return item;
  }
  return list.at(-1) as T;
}
