/** A ratio to the baseline (above 1 = better) for one amount of work. */
export interface Gain {
  /** The amount, such as CPU per task or bytes of an answer. */
  readonly at: number;
  readonly ratio: number;
}

/**
 * Returns the amount of work from which a way beats the baseline, as text; between two rows it interpolates by logarithms.
 * Only what comes after the last loss counts: a win before it is chance.
 */
export function crossover(gains: readonly Gain[], unit: string): string {
  const after = gains.findLastIndex(({ ratio }) => !(ratio > 1)) + 1;
  const [loss, win] = [gains[after - 1], gains[after]];
  if (win === undefined) return `not up to ${gains.at(-1)?.at} ${unit}`;
  if (loss === undefined) return `from ${win.at} ${unit} on`;
  if (loss.at === 0) return `below ${win.at} ${unit}`;
  const [down, up] = [Math.log(loss.ratio), Math.log(win.ratio)];
  const at = loss.at * (win.at / loss.at) ** (down / (down - up));
  return `from about ${at.toPrecision(2)} ${unit}`;
}
