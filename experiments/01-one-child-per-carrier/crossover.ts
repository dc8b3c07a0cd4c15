/** A ratio to the baseline (above 1 = better) for one amount of CPU per task. */
export interface Gain {
  readonly cpuMs: number;
  readonly ratio: number;
}

/**
 * Returns the CPU per task from which a way beats the baseline, as text; between two rows it interpolates by logarithms.
 * Only what comes after the last loss counts: a win before it is chance.
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
