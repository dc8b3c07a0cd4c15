/** Draws from some paths, the same ones for the same seed. */
export function pathDrawer(
  paths: readonly string[],
  { draw, seed }: { readonly draw: 'uniform' | 'zipf'; readonly seed: number },
): () => string {
  const random = randomFrom(seed);
  const weights = paths.map((_, place) => (draw === 'zipf' ? 1 / (place + 1) : 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return () => {
    let left = random() * total;
    for (const [place, path] of paths.entries()) {
      left -= weights[place] as number;
      if (left < 0) return path;
    }
    return paths.at(-1) as string;
  };
}

/** Numbers of [0, 1) by mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
