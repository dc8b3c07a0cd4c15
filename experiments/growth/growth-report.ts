import { table, three, times } from '@ticketing/bench-kit';
import { exponentOf, type GrowthPoint, mostExponent } from './exponent.ts';
import type { ContenderGrowth } from './measure-growth.ts';
import type { Subject } from './subject.ts';

/** A subject and what was measured of it. */
export interface SubjectGrowth {
  readonly subject: Subject;
  readonly contenders: readonly ContenderGrowth[];
}

/** What an exponent may differ by from run to run. */
const SAME = 0.1;

/** How ours grows: in words for the table. `undefined`: too fast. */
export function boundOf({ subject, contenders }: SubjectGrowth): string | undefined {
  const [own, ...peers] = contenders.map(({ points }) => exponentOf(points));
  if (own === undefined || own <= mostExponent(subject.sizes)) return 'n log n at most';
  // The peer is the platform: what grows there as well cannot be repaired here.
  const peer = Math.max(...peers.flatMap((exponent) => exponent ?? []));
  if (own <= peer + SAME) return 'as the peer';
  return subject.reason;
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
        place > 0 ? '' : (boundOf(each) ?? '**faster**'),
      ];
    }),
  );
  return table([['', '', 'exponent', 'largest', 'time', 'to ours', 'growth'], ...rows], 2);
}

/** Formats the times of one subject, a column for each size, and memory where it was measured. */
export function timesTable({ subject, contenders }: SubjectGrowth): string[] {
  const rows = contenders.flatMap(({ name, points }) => {
    const cells = (textOf: (point: GrowthPoint) => string): string[] =>
      subject.sizes.map((size) => {
        const point = points.find((one) => one.size === size);
        return point === undefined ? '' : textOf(point);
      });
    const times = [`${name}, ms`, ...cells(({ ms }) => three(ms))];
    if (points.every(({ bytes }) => bytes === undefined)) return [times];
    const each = cells(({ bytes, size }) =>
      bytes === undefined ? '' : three(bytes / 1024 / size),
    );
    return [times, [`${name}, kB each`, ...each]];
  });
  return table([[subject.of, ...subject.sizes.map((size) => size.toLocaleString('en'))], ...rows]);
}
