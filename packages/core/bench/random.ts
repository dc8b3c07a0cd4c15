/**
 * Numbers from 0 to 1, the same in every run: a linear congruential generator modulo 2^32 with the
 * constants of Numerical Recipes. Good enough for timetables.
 */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}
