import type { Distribution, Family, Labels } from './family.ts';

/** Line of an exposition: the value of one series. */
export interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

/** Returns the samples of a family. A histogram has cumulative counts by upper bound, a sum and a count. */
export function samplesOf<Source>(family: Family<Source>, source: Source): readonly Sample[] {
  const { name, type } = family;
  if (type !== 'histogram') {
    return family.points(source).map(({ labels, value }) => ({ name, labels, value }));
  }
  return family.distributions(source).flatMap((each) => samplesOfHistogram(name, each));
}

function samplesOfHistogram(name: string, { labels, buckets }: Distribution): readonly Sample[] {
  const { le, counts, sum } = buckets;
  let total = 0;
  const cumulative = counts.map((count, at) => {
    total += count;
    const bound = le[at];
    const upTo = bound === undefined ? '+Inf' : String(bound);
    return { name: `${name}_bucket`, labels: { ...labels, le: upTo }, value: total };
  });
  return [
    ...cumulative,
    { name: `${name}_sum`, labels, value: sum },
    { name: `${name}_count`, labels, value: total },
  ];
}
