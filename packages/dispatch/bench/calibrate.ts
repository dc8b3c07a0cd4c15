import { burn } from './work.ts';

/** Measures how many steps of `burn` take a millisecond here, with nothing else to do. */
export function stepsPerMs(): number {
  const steps = 10_000;
  const took = Array.from({ length: 30 }, () => {
    const start = performance.now();
    burn(steps);
    return performance.now() - start;
  });
  // The shortest, since whatever disturbs makes it longer.
  return steps / Math.min(...took);
}
