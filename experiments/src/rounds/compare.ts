import { type Measured, ratioOf } from './measure-rounds.ts';

/** One cell compared with another; `open`: the rounds contradict each other. */
export type Comparison = 'more' | 'less' | 'same' | 'open';

/** Ratios closer to 1 than this count as equal. */
const SAME = 1.05;

/** Compares by the median of the rounds' ratios; `open` if some rounds have more and others less. */
export function compare(own: Measured, other: Measured, name = 'perSecond'): Comparison {
  const ratios = own.samples.map((sample, round) => {
    const base = other.samples[round];
    return ratioOf(
      { ...own, samples: [sample] },
      { ...other, samples: base === undefined ? [] : [base] },
      name,
    );
  });
  if (ratios.some((ratio) => ratio > SAME) && ratios.some((ratio) => ratio < 1 / SAME))
    return 'open';
  const ratio = ratioOf(own, other, name);
  if (ratio > SAME) return 'more';
  return ratio < 1 / SAME ? 'less' : 'same';
}
