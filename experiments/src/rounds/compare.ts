import { type Measured, ratioOf } from './measure-rounds.ts';

/** How one cell does beside another; `open`: the rounds contradict each other. */
export type Comparison = 'more' | 'less' | 'same' | 'open';

/** What is less apart is the same. */
const SAME = 1.05;

/** By the median of the rounds' ratios; if some rounds say more and others less, nothing is said. */
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
