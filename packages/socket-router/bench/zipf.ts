/** Numbers below `count`, number `n` in proportion to `1 / (n + 1) ** exponent`; the same for the same seed. */
export function* zipf(count: number, exponent: number, seed: number): Generator<number, never> {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let n = 0; n < count; n++) {
    sum += (n + 1) ** -exponent;
    sums[n] = sum;
  }
  // mulberry32, Tommy Ettinger, public domain.
  let state = seed;
  for (;;) {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), 61 | bits);
    const wanted = (((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32) * sum;
    yield firstAbove(sums, wanted);
  }
}

function firstAbove(sums: Float64Array, wanted: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) > wanted) high = middle;
    else low = middle + 1;
  }
  return low;
}
