/** How many cases are tried. */
export interface Scale {
  readonly runs: number;
  readonly calls: number;
  readonly requests: number;
}

export const FAST: Scale = { runs: 100, calls: 3000, requests: 100 };
export const FULL: Scale = { runs: 10_000, calls: 100_000, requests: 1000 };
