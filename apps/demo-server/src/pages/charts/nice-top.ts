/** Tops of a scale whose halves are as easy to read. */
const STEPS = [1, 2, 3, 4, 5, 6, 8, 10];

/** Returns the top of a scale from 0 that holds `most`, with a little room above it; at least `least`. */
export function niceTop(most: number, least: number): number {
  const wanted = Math.max(most * 1.05, least);
  const unit = 10 ** Math.floor(Math.log10(wanted));
  const step = STEPS.find((each) => each * unit >= wanted * 0.999999) ?? 10;
  return step * unit;
}
