/** Name under which trains are sold, and their times. */
interface Brand {
  /** First and last departure of the day, in minutes after midnight. */
  readonly hours: readonly [first: number, last: number];
  /** Ranges of train numbers: 1,000 odd and 1,000 even ones, no number in two brands. */
  readonly numbers: readonly (readonly [start: number, length: number])[];
}

/** Every brand of the Spanish network. */
export const brands: {
  readonly AVE: Brand;
  readonly ALVIA: Brand;
  readonly AVLO: Brand;
  readonly OUIGO: Brand;
} = {
  AVE: {
    hours: [375, 1335],
    numbers: [
      [3000, 1000],
      [2000, 1000],
    ],
  },
  ALVIA: { hours: [375, 1335], numbers: [[4000, 2000]] },
  AVLO: {
    hours: [390, 1290],
    numbers: [
      [6000, 600],
      [8000, 1400],
    ],
  },
  OUIGO: {
    hours: [375, 1280],
    numbers: [
      [6600, 1400],
      [1400, 600],
    ],
  },
};

/** The name of a brand of the Spanish network. */
export type SpanishBrand = keyof typeof brands;
