import {
  CALLS,
  type Column,
  type ColumnKind,
  JOIN,
  type Part,
  type SystemModel,
} from '../system/system-model.ts';
import { placeWorkers } from './cells.ts';
import { placeEdges } from './place-edges.ts';
import type { Junction, Layout, Placed } from './placed.ts';

/** Size of the picture. */
export const PICTURE = { width: 1232, height: 396 } as const;
/** Room of the parts, below the titles of their columns. */
const TOP = 30;
const HEIGHT = 360;
const MIDDLE = TOP + HEIGHT / 2;

type Widths = Readonly<Record<ColumnKind, number>>;
const ROOMY: Widths = {
  clients: 112,
  accept: 128,
  servers: 168,
  coalescing: 136,
  hosts: 160,
  workers: 188,
  carriers: 176,
};
/** Widths for a server with every column. */
const TIGHT: Widths = {
  clients: 96,
  accept: 124,
  servers: 158,
  coalescing: 124,
  hosts: 146,
  workers: 164,
  carriers: 164,
};
/** Factors for the space before columns: wider where ways join. */
const SPACES: Readonly<Partial<Record<ColumnKind, number>>> = { carriers: 1.4, hosts: 1.3 };
/** Space between columns above which they grow. */
const WIDE = 110;
const MOST_GROWTH = 1.35;

/** Places the parts of a model, which has at most eight in a row, and one that stands for more. */
export function layoutOf({ columns, edges }: SystemModel): Layout {
  const frames = framesOf(columns);
  const rows = rowsOf(columns.find(({ kind }) => kind === 'servers')?.parts ?? []);
  const parts = columns.flatMap((column, at) =>
    placeColumn(column, frames[at] ?? { x: 0, width: 0, before: 0 }, rows),
  );
  const junctions = new Map<string, Junction>();
  for (const [at, { kind }] of columns.entries()) {
    const { x, before } = frames[at] ?? { x: 0, before: 0 };
    if (kind === 'hosts') junctions.set(JOIN, { x: x - before / 2, y: MIDDLE });
    if (kind === 'carriers') junctions.set(CALLS, { x: x - Math.min(40, before / 2), y: MIDDLE });
  }
  return {
    titles: columns.map(({ title }, at) => ({ text: title, x: frames[at]?.x ?? 0 })),
    parts,
    edges: placeEdges(edges, parts, junctions),
  };
}

interface Frame {
  readonly x: number;
  readonly width: number;
  /** Space before the frame. */
  readonly before: number;
}

/** Spreads columns over the whole width; few columns grow. */
function framesOf(columns: readonly Column[]): Frame[] {
  const widths = columns.length > 6 ? TIGHT : ROOMY;
  const own = columns.map(({ kind }) => widths[kind]);
  const spaces = columns.map(({ kind }, at) => (at === 0 ? 0 : (SPACES[kind] ?? 1)));
  const [used, weight] = [total(own), Math.max(1, total(spaces))];
  const growth = Math.min(
    MOST_GROWTH,
    1 + Math.max(0, PICTURE.width - used - WIDE * weight) / used,
  );
  const unit = (PICTURE.width - used * growth) / weight;
  let x = 0;
  return own.map((width, at) => {
    const before = (spaces[at] ?? 0) * unit;
    const frame = { x: x + before, width: width * growth, before };
    x = frame.x + frame.width;
    return frame;
  });
}

/** Height of a row, and where each begins. */
interface Rows {
  readonly size: 'full' | 'half';
  readonly height: number;
  readonly tops: readonly number[];
  /** Distance from one row to the next. */
  readonly step: number;
}

/** Places up to four rows as they are, more at half height; one that stands for more is a line of text. */
function rowsOf(parts: readonly Part[]): Rows {
  const hasMore = parts.at(-1)?.kind === 'more';
  const many = parts.length - (hasMore ? 1 : 0);
  const size = many <= 4 && !hasMore ? 'full' : 'half';
  const [height, step] = size === 'full' ? [75, 95] : hasMore ? [36, 42] : [38, 46];
  const all = (many - 1) * step + height;
  const top = hasMore ? TOP : MIDDLE - all / 2;
  return { size, height, step, tops: parts.map((_, at) => top + at * step) };
}

const HEIGHTS: Readonly<Partial<Record<Part['kind'], number>>> = { clients: 84, accept: 104 };
const MORE_HEIGHT = 20;
/** A funnel for all processes has room for its figures. */
const LEAST_FUNNEL = 160;

function placeColumn(column: Column, { x, width }: Frame, servers: Rows): Placed[] {
  const { kind, parts } = column;
  if (kind === 'carriers') {
    const step = Math.min(62, (HEIGHT + 12) / parts.length);
    const height = Math.min(50, step - 6);
    const top = MIDDLE - ((parts.length - 1) * step + height) / 2;
    return parts.map((part, at) => ({
      part,
      size: 'full' as const,
      x,
      width,
      height,
      y: top + at * step,
    }));
  }
  const [only] = parts;
  if (only !== undefined && kind !== 'servers' && parts.length === 1 && kind !== 'hosts') {
    const span = (servers.tops.at(-1) ?? MIDDLE) - (servers.tops[0] ?? MIDDLE) + servers.height;
    const tall = kind === 'workers' ? HEIGHT : Math.max(span, LEAST_FUNNEL);
    const height = HEIGHTS[only.kind] ?? tall;
    const placed = { part: only, size: 'full' as const, x, width, height, y: MIDDLE - height / 2 };
    return [kind === 'workers' ? placeWorkers(placed) : placed];
  }
  const rows = kind === 'hosts' ? rowsOf(parts) : servers;
  return parts.map((part, at): Placed => {
    const y = rows.tops[at] ?? TOP;
    const { size, height, step } = rows;
    if (part.kind === 'more') return { part, size, x, width, y, height: MORE_HEIGHT };
    // Cells may use the space between rows.
    const room = size === 'full' ? step - 18 : height;
    const placed = { part, size, x, width, y: y + (height - room) / 2, height: room };
    return kind === 'workers' ? placeWorkers(placed) : { ...placed, y, height };
  });
}

function total(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0);
}
