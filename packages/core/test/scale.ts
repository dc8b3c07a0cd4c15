/** How much of a long test is run. */
export interface Scale {
  readonly isFull: boolean;
  /** How often a property is tried. */
  runs(full: number): number;
}

export const FAST: Scale = { isFull: false, runs: (full) => Math.ceil(full / 25) };
export const FULL: Scale = { isFull: true, runs: (full) => full };
