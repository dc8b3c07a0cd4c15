/** A ratio to the baseline (above 1 = better) at an amount of CPU a task. */
export interface Gain {
  readonly cpuMs: number;
  readonly ratio: number;
}

/**
 * From how much CPU a task on a way does better than the baseline, as text; between two rows by their logarithms. A way
 * that is better below and worse above some row is better only from its last loss on: the rest is chance.
 */
export function crossover(gains: readonly Gain[]): string {
  const after = gains.findLastIndex(({ ratio }) => !(ratio > 1)) + 1;
  const [loss, win] = [gains[after - 1], gains[after]];
  if (win === undefined) return `not up to ${gains.at(-1)?.cpuMs} ms`;
  if (loss === undefined) return `from ${win.cpuMs} ms on`;
  if (loss.cpuMs === 0) return `below ${win.cpuMs} ms`;
  const [down, up] = [Math.log(loss.ratio), Math.log(win.ratio)];
  const at = loss.cpuMs * (win.cpuMs / loss.cpuMs) ** (down / (down - up));
  return `from about ${at.toPrecision(2)} ms`;
}
