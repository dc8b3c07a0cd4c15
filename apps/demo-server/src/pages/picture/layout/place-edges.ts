import { groupedBy } from '../system/reading.ts';
import type { Edge } from '../system/system-model.ts';
import type { Junction, Placed, PlacedEdge } from './placed.ts';

/** Farthest that edges at one end are apart. */
const APART = 9;
const [APART_AT_FUNNEL, APART_AT_JUNCTION] = [5, 2];
/** Space that a way keeps from the column that it passes. */
const BESIDE = 8;
const [LOWEST, HIGHEST] = [24, 388];

interface End {
  readonly id: string;
  readonly left: number;
  readonly right: number;
  readonly middle: number;
  /** Height within which edges come in; edges out of a funnel leave its narrow end. */
  readonly height: number;
  readonly apart: number;
  readonly isTall: boolean;
}

/** Draws each edge from the right of a part to the left of another, beside each other, and between the parts of columns that it passes. */
export function placeEdges(
  edges: readonly Edge[],
  parts: readonly Placed[],
  junctions: ReadonlyMap<string, Junction>,
): PlacedEdge[] {
  const ends = new Map<string, End>(
    [...junctions].map(([id, { x, y }]) => [
      id,
      { id, left: x, right: x, middle: y, height: 24, apart: APART_AT_JUNCTION, isTall: false },
    ]),
  );
  for (const placed of parts) ends.set(placed.part.id, endOf(placed));
  const known = edges.filter(({ from, to }) => ends.has(from) && ends.has(to));
  const named = (id: string): End => ends.get(id) as End;
  const [leaving, coming] = [
    besideEachOther(known, 'from', named),
    besideEachOther(known, 'to', named),
  ];
  const portOf = (edge: Edge, side: 'from' | 'to'): number => {
    const own = named(edge[side]);
    if (side === 'to' && own.isTall) {
      const half = own.height / 2;
      const y = named(edge.from).middle;
      return Math.min(own.middle + half, Math.max(own.middle - half, y));
    }
    const beside = (side === 'from' ? leaving : coming).get(own.id) ?? [];
    const step = Math.min(own.apart, own.height / beside.length);
    return own.middle + (beside.indexOf(edge) - (beside.length - 1) / 2) * step;
  };
  return known.map((edge) => {
    const [from, to] = [named(edge.from), named(edge.to)];
    const start = { x: from.right, y: portOf(edge, 'from') };
    const end = { x: to.left, y: portOf(edge, 'to') };
    return { ...edge, d: pathOf([start, ...waysPast(parts, start, end), end]) };
  });
}

/** Returns the edges at one end of each part, sorted by where they lead. */
function besideEachOther(
  edges: readonly Edge[],
  side: 'from' | 'to',
  named: (id: string) => End,
): ReadonlyMap<string, readonly Edge[]> {
  const other = side === 'from' ? 'to' : 'from';
  const sorted = [...edges].sort((one, two) => named(one[other]).middle - named(two[other]).middle);
  return groupedBy(sorted, (edge) => edge[side]);
}

function endOf({ part, x, y, width, height, cells }: Placed): End {
  const isFunnel = part.kind === 'funnel';
  const isTall = isFunnel && height > 100;
  // A pool is as tall as its cells; its name is above.
  const first = cells?.[0]?.y ?? y;
  const top = part.kind === 'pool' ? first : y;
  return {
    id: part.id,
    left: x,
    // A pool of few workers has room to its right: its ways begin at the last of them.
    right: cells === undefined ? x + width : Math.max(...cells.map((cell) => cell.x + cell.width)),
    middle: (top + y + height) / 2,
    height: (y + height - top) * (isTall ? 0.9 : 0.6),
    apart: isFunnel ? APART_AT_FUNNEL : APART,
    isTall,
  };
}

type Point = Junction;

/** Returns points left and right of each column between two points, in the gap between its parts that is nearest. */
function waysPast(parts: readonly Placed[], start: Point, end: Point): Point[] {
  const passed = parts.filter(({ x, width }) => x > start.x && x + width < end.x);
  const columns = [...new Set(passed.map(({ x }) => x))].sort((one, two) => one - two);
  return columns.flatMap((x) => {
    const column = passed.filter((each) => each.x === x);
    const right = Math.max(...column.map((each) => each.x + each.width));
    const y = gapOf(column, (start.y + end.y) / 2);
    return [
      { x: x - BESIDE, y },
      { x: right + BESIDE, y },
    ];
  });
}

function gapOf(column: readonly Placed[], near: number): number {
  const sorted = [...column].sort((one, two) => one.y - two.y);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return near;
  const gaps = [
    Math.max(LOWEST, first.y - 12),
    ...sorted.slice(1).map((each, at) => {
      const above = sorted[at] ?? each;
      return (above.y + above.height + each.y) / 2;
    }),
    Math.min(HIGHEST, last.y + last.height + 12),
  ];
  return gaps.reduce((best, y) => (Math.abs(y - near) < Math.abs(best - near) ? y : best));
}

function pathOf([first, ...rest]: readonly Point[]): string {
  if (first === undefined) return '';
  let d = `M${at(first)}`;
  let before = first;
  for (const point of rest) {
    const half = (before.x + point.x) / 2;
    const isStraight = Math.abs(before.y - point.y) < 0.5;
    d += isStraight
      ? `L${at(point)}`
      : `C${at({ x: half, y: before.y })} ${at({ x: half, y: point.y })} ${at(point)}`;
    before = point;
  }
  return d;
}

function at({ x, y }: Point): string {
  return `${tenth(x)} ${tenth(y)}`;
}

/** Rounds a length to tenths of a unit. */
export function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}
