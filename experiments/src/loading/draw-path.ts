import { randomFrom } from './random-from.ts';

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
