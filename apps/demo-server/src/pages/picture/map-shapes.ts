import { type CarrierMark, carrierMarks } from '../../carriers/carrier-marks.ts';
import { percent, whole } from '../words/amounts.ts';
import { stateMarks } from '../words/state-marks.ts';
import { tenth } from './layout/place-edges.ts';
import type { Layout, Placed, PlacedEdge } from './layout/placed.ts';
import { partLabel } from './part-label.ts';
import { type Shape, shape } from './shape.ts';
import type { Edge } from './system/system-model.ts';

/** Width of an edge without traffic, and how much the one with most has more. */
const [LEAST_WIDTH, MORE_WIDTH] = [1.5, 10.5];
/** Busy share from which on a meter is amber. */
const HIGH = 0.8;
const RADIUS = { full: 8, half: 6 } as const;
const PAD = 14;

/** Draws the picture. `most`: the highest rate seen, which has the widest edge. */
export function mapShapes({ titles, parts, edges }: Layout, most: number): Shape[] {
  return [
    ...titles.map(({ text, x }, at) => label(`title ${at}`, tenth(x), 14, text, 'col')),
    shape(
      'g',
      'edges',
      { 'aria-hidden': 'true' },
      edges.map((edge) => edgeShape(edge, most)),
    ),
    ...parts.map((placed) => partShape(placed)),
  ];
}

/** Returns the width of an edge, which grows with its rate. */
export function widthOf(rate: number | undefined, most: number): number {
  const share = most > 0 ? Math.min(1, (rate ?? 0) / most) : 0;
  return tenth(LEAST_WIDTH + MORE_WIDTH * share);
}

/** Change of a width that is drawn: an edge whose rate trembles stays. */
const NOTICED = 0.5;

/** Returns edges whose width is that of `before`, unless it changes by more than one notices. */
export function steady<E extends Edge>(
  edges: readonly E[],
  before: ReadonlyMap<string, number | undefined>,
  most: number,
): E[] {
  return edges.map((edge) => {
    const held = before.get(`${edge.from} ${edge.to}`);
    const change = Math.abs(widthOf(edge.rate, most) - widthOf(held, most));
    return change < NOTICED ? { ...edge, rate: held } : edge;
  });
}

function edgeShape({ from, to, rate, state, d }: PlacedEdge, most: number): Shape {
  const { look } = stateMarks[state];
  const tint = look === 'slow' || look === 'hangs' || look === 'dead' ? ` ${look}` : '';
  return shape('path', `${from} ${to}`, {
    class: `edge${tint}`,
    'stroke-width': widthOf(rate, most),
    d,
  });
}

function partShape(placed: Placed): Shape {
  const { part, cells } = placed;
  const draw = {
    clients: plain,
    accept: plain,
    server: serverInside,
    funnel: funnelInside,
    pool: poolInside,
    worker: cellInside,
    host: plain,
    carrier: carrierInside,
    more: moreInside,
  }[part.kind];
  const link = linkOf(placed, draw(placed));
  if (part.kind !== 'pool' || cells === undefined) return link;
  return shape('g', part.id, {}, [link, ...cells.map((cell) => partShape(cell))]);
}

/** Every part is a link, whose name has its figures. */
function linkOf({ part }: Placed, inside: readonly Shape[]): Shape {
  const texts = inside.flatMap(({ tag, inside: text }) =>
    tag === 'text' && typeof text === 'string' ? [text] : [],
  );
  return shape(
    'a',
    part.id,
    {
      href: '#node',
      class: stateMarks[part.state].look,
      'data-part': part.id,
      'data-state': part.state,
      'aria-label': partLabel(part, texts),
    },
    // Texts beside each other are words of their own.
    inside.map((each) => (each.tag === 'text' ? { ...each, inside: `${each.inside} ` } : each)),
  );
}

/** A box with its name, its state, and as many lines as it has room for. */
function plain(placed: Placed): Shape[] {
  const { part, x, y, size } = placed;
  const isFull = size === 'full';
  const top = y + (isFull ? (part.kind === 'accept' || part.kind === 'clients' ? 26 : 21) : 15);
  const lines = isFull ? part.lines : part.lines.slice(0, 1);
  return [
    box(placed),
    label('name', x + PAD, top, shortened(part.name, placed), 'name'),
    ...lines.map((line, at) =>
      label(`line ${at}`, x + PAD, top + (isFull ? 20 : 15) + at * 18, line),
    ),
    ...stateShapes(placed, top),
  ];
}

function serverInside(placed: Placed): Shape[] {
  const { part, x, y, width, size } = placed;
  if (size === 'half') return plain(placed);
  const room = width - 2 * PAD - 36;
  const isHigh = (part.share ?? 0) > HIGH;
  return [
    ...plain(placed),
    bar('meter', 'meter', { x: x + PAD, y: y + 52, width: room }),
    bar('fill', `fill${isHigh ? ' high' : ''}`, {
      x: x + PAD,
      y: y + 52,
      width: room * (part.share ?? 0),
    }),
    label('busy', x + width - PAD, y + 58, percent(part.share), 'end'),
  ];
}

function bar(key: string, name: string, { x, y, width }: { x: number; y: number; width: number }) {
  return shape('rect', key, {
    class: name,
    x: tenth(x),
    y: tenth(y),
    width: tenth(width),
    height: 5,
    rx: 2.5,
  });
}

/** Draws a funnel: its left is as tall as the calls asked, its right as the loads, and the gap is the calls saved. */
function funnelInside(placed: Placed): Shape[] {
  const { part, x, y, width, height, size } = placed;
  const [saved = '', says = '', asked = '', loads = ''] = part.lines;
  const isTall = height > 100;
  const inset = isTall ? 8 : size === 'full' ? 5 : 3;
  const [top, bottom] = [y + inset, y + height - inset];
  const half = Math.max(1, ((bottom - top) / 2) * (1 - (part.share ?? 0)));
  const middle = (top + bottom) / 2;
  const [left, right, bend] = [x + 1, x + width - 1, x + width / 2];
  const d = `M${tenth(left)} ${tenth(top)}C${tenth(bend)} ${tenth(top)} ${tenth(bend)} ${tenth(middle - half)} ${tenth(right)} ${tenth(middle - half)}V${tenth(middle + half)}C${tenth(bend)} ${tenth(middle + half)} ${tenth(bend)} ${tenth(bottom)} ${tenth(left)} ${tenth(bottom)}z`;
  const shapes = [box(placed), shape('path', 'funnel', { class: 'funnel', d })];
  const end = x + width - 10;
  if (isTall) {
    return [
      ...shapes,
      ...stateShapes(placed, y + 24, { quiet: true }),
      label('saved', x + 16, middle - 6, saved, 'big'),
      label('says', x + 16, middle + 14, says),
      label('asked', end, y + 24, asked, 'name end'),
      label('loads', end, y + height - 30, loads, 'end'),
      label('name', end, y + height - 12, part.name, 'end'),
    ];
  }
  if (size === 'full') {
    return [
      ...shapes,
      ...stateShapes(placed, y + 21, { quiet: true }),
      label('saved', x + PAD, middle - 1, saved, 'name'),
      label('says', x + PAD, middle + 15, says),
      label('asked', end, y + 17, asked, 'end'),
      label('loads', end, y + height - 8, loads, 'end'),
    ];
  }
  return [
    ...shapes,
    label('saved', x + 10, middle + 4, saved, 'name'),
    label('loads', end, middle + 4, loads, 'end'),
  ];
}

/** Name and rate of a pool above its workers, or a bar in their place. */
function poolInside(placed: Placed): Shape[] {
  const { part, x, y, width, cells, size } = placed;
  const isFull = size === 'full';
  const base = y + (isFull ? 13 : 10);
  const { glyph, word } = stateMarks[part.state];
  const isWell = part.state === 'healthy' || part.state === 'unknown';
  const right = isWell ? part.lines.join(' · ') : `${glyph} ${part.lines[1] ?? word}`;
  const room = isFull ? 20 : 15;
  const shapes = [
    // What the pointer and the focus find.
    rect('node', 'node bare quiet', { x: x - 4, y: y - 2, width: width + 8, height: room - 1 }, 5),
    label('name', x, base, isFull ? part.name : (part.owner ?? part.name)),
    label('rate', x + width, base, right, `end${isWell ? '' : ' say'}`),
  ];
  if (cells !== undefined) return shapes;
  const all = part.workers?.length;
  const running = part.counts['running'] ?? 0;
  const dead = (part.workers ?? []).filter(({ state }) => state === 'dead').length;
  const share = all === undefined ? 0 : busyShare(part.workers ?? []);
  const inside = { x, y: y + room, width, height: 20 };
  const text =
    all === undefined
      ? `${running} running, ${part.counts['queued'] ?? 0} queued`
      : `running ${whole(busy(part.workers ?? []))} of ${all}`;
  return [
    ...shapes,
    rect('cell', 'cell', inside, 6),
    rect('filled', 'cellfill', { ...inside, width: width * share }, 6),
    rect('edge', `node bare${dead > 0 ? ' some-dead' : ''}`, inside, 6),
    label('text', x + 8, y + room + 14, text, 'name'),
    ...(dead > 0 ? [label('dead', x + width - 8, y + room + 14, `✕ ${dead}`, 'say-dead end')] : []),
  ];
}

/** Workers that run something. */
function busy(workers: NonNullable<Placed['part']['workers']>): number {
  return workers.filter(({ counts }) => (counts['running'] ?? 0) > 0).length;
}

function busyShare(workers: NonNullable<Placed['part']['workers']>): number {
  return workers.length === 0 ? 0 : busy(workers) / workers.length;
}

/** A worker: filled by calls of its window. */
function cellInside(placed: Placed): Shape[] {
  const { part, x, y, width, height, size } = placed;
  const { glyph, look } = stateMarks[part.state];
  const middle = x + width / 2;
  const edge = rect('node', 'node', placed, size === 'full' ? 6 : 4);
  if (look === 'dead' || look === 'starting' || look === 'hangs') {
    const word = { dead: 'dead', starting: 'starts', hangs: 'hangs' }[look];
    if (size === 'half') {
      return [edge, label('glyph', middle, y + height / 2 + 4, glyph, 'say mid')];
    }
    return [
      edge,
      label('glyph', middle, y + 20, glyph, 'say mid'),
      label('word', middle, y + 35, word, 'say mid'),
    ];
  }
  const filled = (part.share ?? 0) * height;
  const fill = { x, width, y: y + height - filled, height: filled };
  return [
    rect('cell', 'cell', placed, size === 'full' ? 6 : 4),
    rect('filled', 'cellfill', fill, Math.min(size === 'full' ? 6 : 4, filled / 2)),
    rect('node', 'node bare', placed, size === 'full' ? 6 : 4),
    label('text', middle, y + height / 2 + 4.5, part.lines[0] ?? '', 'name mid'),
  ];
}

const marks: Readonly<Record<string, CarrierMark>> = carrierMarks;

function carrierInside(placed: Placed): Shape[] {
  const { part, x, y, height } = placed;
  const isLow = height < 44;
  const side = Math.min(24, height - 8);
  const middle = y + height / 2;
  const top = isLow ? middle + 4 : y + 21;
  const mark = { x: x + 10, y: middle - side / 2, width: side, height: side };
  const letters = (marks[part.row]?.letters ?? part.name.slice(0, 2)).toUpperCase();
  return [
    box(placed),
    rect('mark', `mk ${part.row}`, mark, 6),
    label('letters', x + 10 + side / 2, middle + 3.5, letters, 'init mid'),
    label('name', x + 44, top, shortened(part.name, placed, 44), 'name'),
    ...(isLow ? [] : part.lines.map((line, at) => label(`line ${at}`, x + 44, top + 18, line))),
    ...stateShapes(placed, top),
  ];
}

function moreInside(placed: Placed): Shape[] {
  const { part, x, y, width, height } = placed;
  const text = [part.name, ...part.lines].join(', ');
  return [
    rect('node', 'node bare quiet', { x: x - 4, y, width: width + 8, height }, 6),
    label('name', x, y + 14, text, part.lines.length > 0 ? 'say' : ''),
  ];
}

/** A dot if all is well, or shape and word of the state, at the end of the first line. */
function stateShapes(
  { part, x, y, width, size }: Placed,
  base: number,
  { quiet = false }: { readonly quiet?: boolean } = {},
): Shape[] {
  const { look, glyph, word } = stateMarks[part.state];
  if (look === 'unknown' || (quiet && look === 'healthy')) return [];
  if (look === 'healthy') {
    // A client has no health of its own.
    if (part.kind === 'clients') return [];
    const cy = size === 'full' ? base - 4 : y + 12;
    return [
      shape('circle', 'dot', { class: 'dot', cx: tenth(x + width - 18), cy: tenth(cy), r: 4 }),
    ];
  }
  const end = quiet ? x + PAD : x + width - 12;
  return [label('state', end, base, `${glyph} ${word}`, quiet ? 'say' : 'say end')];
}

function box(placed: Placed): Shape {
  return rect('node', 'node', placed, RADIUS[placed.size]);
}

function rect(
  key: string,
  name: string,
  at: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  radius: number,
): Shape {
  const [x, y, width, height] = [at.x, at.y, at.width, at.height].map(tenth);
  return shape('rect', key, {
    class: name,
    x: x ?? 0,
    y: y ?? 0,
    width: width ?? 0,
    height: height ?? 0,
    rx: tenth(radius),
  });
}

function label(key: string, x: number, y: number, text: string, name = ''): Shape {
  const place = { x: tenth(x), y: tenth(y) };
  return shape('text', key, name === '' ? place : { ...place, class: name }, text);
}

/** Cuts a name to the room beside the state. Letters of it are 7.2 wide on average. */
function shortened(name: string, { part, width }: Placed, before = PAD): string {
  const { look, word } = stateMarks[part.state];
  const beside = look === 'healthy' || look === 'unknown' ? 28 : 30 + word.length * 6.5;
  const most = Math.max(4, Math.floor((width - before - beside) / 7.2));
  return name.length <= most ? name : `${name.slice(0, most - 1)}…`;
}
