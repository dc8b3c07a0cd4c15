import type { Placed } from './placed.ts';

const GAP = 4;
/** Room of the name of a pool above its cells. */
const LABEL = { full: 20, half: 15 } as const;
const [BIG, SMALL] = [44, 20];
const MOST_IN_ROW = 8;
const BAR = 20;

/** Places the workers of a pool in the room that it has: big cells if they fit, else small ones, else none: then they are a bar. */
export function placeWorkers(room: Placed): Placed {
  const label = LABEL[room.size];
  const workers = room.part.workers ?? [];
  const grid = gridOf(workers.length, room.height - label, room.size);
  const inside = grid === undefined ? BAR : grid.rows * (grid.cell + GAP) - GAP;
  const height = label + inside;
  const y = room.y + (room.height - height) / 2;
  if (grid === undefined) return { ...room, y, height };
  const width = (room.width - (grid.columns - 1) * GAP) / grid.columns;
  const cells = workers.map((part, at): Placed => {
    const [column, row] = [at % grid.columns, Math.floor(at / grid.columns)];
    return {
      part,
      size: grid.cell === BIG ? 'full' : 'half',
      x: room.x + column * (width + GAP),
      y: y + label + row * (grid.cell + GAP),
      width,
      height: grid.cell,
    };
  });
  return { ...room, y, height, cells };
}

interface Grid {
  readonly rows: number;
  readonly columns: number;
  readonly cell: number;
}

function gridOf(count: number, room: number, size: Placed['size']): Grid | undefined {
  if (count === 0) return undefined;
  const fits = (rows: number, cell: number) => rows * (cell + GAP) - GAP <= room;
  const big = Math.ceil(count / 4);
  if (size === 'full' && fits(big, BIG)) {
    return { rows: big, columns: big === 1 ? Math.max(4, count) : 4, cell: BIG };
  }
  // Two rows of wide cells are easier to read than one of narrow ones.
  const few = Math.max(1, Math.ceil(count / 4));
  const small = [few, Math.ceil(count / MOST_IN_ROW)].find((rows) => fits(rows, SMALL));
  if (small === undefined) return undefined;
  return {
    rows: small,
    columns: small === 1 ? Math.max(4, count) : Math.ceil(count / small),
    cell: SMALL,
  };
}
