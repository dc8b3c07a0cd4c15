import { table, three, times } from '@ticketing/bench-kit';
import { exponentOf, mostExponent } from './exponent.ts';
import type { ContenderGrowth } from './measure-growth.ts';
import type { Subject } from './subject.ts';

/** A subject and what was measured of it. */
export interface SubjectGrowth {
  readonly subject: Subject;
  readonly contenders: readonly ContenderGrowth[];
}

/** Returns whether ours grows as fast as n log n at most, or has a reason. */
export function isBounded({ subject, contenders }: SubjectGrowth): boolean {
  const exponent = exponentOf(contenders[0]?.points ?? []);
  return (
    exponent === undefined ||
    exponent <= mostExponent(subject.sizes) ||
    subject.reason !== undefined
  );
}

/** Formats the exponents of all subjects, a row for each contender. */
export function exponentTable(grown: readonly SubjectGrowth[]): string[] {
  const rows = grown.flatMap((each) =>
    each.contenders.map(({ name, points }, place) => {
      const exponent = exponentOf(points);
      const last = points.at(-1);
      const base = each.contenders[0]?.points.find(({ size }) => size === last?.size);
      return [
        place === 0 ? each.subject.name : '',
        name,
        exponent === undefined ? '' : exponent.toFixed(2),
        last === undefined ? '' : `${last.size.toLocaleString('en')} ${each.subject.of}`,
        last === undefined ? '' : `${three(last.ms)} ms`,
        last === undefined || base === undefined || place === 0 ? '' : times(last.ms / base.ms),
        place > 0
          ? ''
          : isBounded(each)
            ? (each.subject.reason ?? 'n log n at most')
            : '**faster**',
      ];
    }),
  );
  return table([['', '', 'exponent', 'largest', 'time', 'to ours', 'growth'], ...rows], 2);
}

/** Formats the times of one subject, a column for each size. */
export function timesTable({ subject, contenders }: SubjectGrowth): string[] {
  return table([
    [subject.of, ...subject.sizes.map((size) => size.toLocaleString('en'))],
    ...contenders.map(({ name, points }) => [
      `${name}, ms`,
      ...subject.sizes.map((size) => {
        const point = points.find((one) => one.size === size);
        return point === undefined ? '' : three(point.ms);
      }),
    ]),
  ]);
}
