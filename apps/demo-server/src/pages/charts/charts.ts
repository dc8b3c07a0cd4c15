import type { History } from '../../figures/trend-schemas.ts';
import type { OperatorView } from '../../figures/view-schema.ts';
import { type LineLook, LOOKS, lookOf, MORE_LOOK } from './line-look.ts';

/** A line of a chart. */
export interface Line extends LineLook {
  /** Name in the legend and at the end of the line. */
  readonly name: string;
  /** One for each time of the history. */
  readonly values: readonly (number | null)[];
}

/** A chart of the last two minutes. */
export interface Chart {
  readonly title: string;
  readonly unit: 'ms' | '';
  /** The scale is never less than this. */
  readonly least: number;
  /** The area between the first two lines means something. */
  readonly isTinted?: boolean;
  readonly hasDeadline?: boolean;
  /** True for a chart that may have more than two lines. */
  readonly isMany?: boolean;
  lines(history: History, view: OperatorView): readonly Line[];
}

/** Named lines of a chart that has many; the others are one. */
const MOST_NAMED = 2;

/** All charts, in the order of the page. */
export const charts: readonly Chart[] = [
  {
    title: 'Requests per second',
    unit: '',
    least: 10,
    lines: (history) => [
      lineOf(history, 'answered', { ink: 'c1', dash: 'd1' }),
      lineOf(history, 'errors', { ink: 'cbad', dash: 'd3' }),
    ],
  },
  {
    title: 'Time to answer',
    unit: 'ms',
    least: 20,
    hasDeadline: true,
    lines: (history) => [
      lineOf(history, 'p50', { ink: 'c2', dash: 'd1' }),
      lineOf(history, 'p99', { ink: 'c1', dash: 'd2' }),
    ],
  },
  {
    title: 'Searches per second',
    unit: '',
    least: 10,
    isTinted: true,
    lines: (history) => [
      lineOf(history, 'asked', { ink: 'c1', dash: 'd1' }),
      lineOf(history, 'loads', { ink: 'c2', dash: 'd2' }),
    ],
  },
  {
    title: 'Task workers',
    unit: '',
    least: 4,
    lines: (history) => [
      lineOf(history, 'running', { ink: 'c1', dash: 'd1' }),
      lineOf(history, 'queued', { ink: 'c4', dash: 'd3' }),
    ],
  },
  {
    title: 'Event-loop delay, p99',
    unit: 'ms',
    least: 10,
    isMany: true,
    lines: (history, { processes }) => {
      const isWorker = ({ kind }: (typeof processes)[number]) =>
        kind === 'task' || kind === 'thread';
      const all = processes.map((one) => [`loop ${one.id}`, isWorker(one) ? '' : one.id] as const);
      return highest(history, all);
    },
  },
  {
    title: 'Time of carriers, p99',
    unit: 'ms',
    least: 100,
    isMany: true,
    lines: (history, { carriers, modes }) => {
      const ids = [...new Set(carriers.map(({ id }) => id))];
      return highest(
        history,
        ids.map((id) => [`carrier ${id}`, modes.carriers[id] ?? id] as const),
      );
    },
  },
];

function lineOf({ at, lines }: History, name: string, look: LineLook, title = name): Line {
  return { name: title, ...look, values: lines[name] ?? at.map(() => null) };
}

/**
 * Returns the highest lines by their titles, and all others as one, at their highest: also those without a title. A little higher
 * changes nothing.
 */
function highest(
  history: History,
  all: readonly (readonly [name: string, title: string])[],
): Line[] {
  const known = all
    .map(([name, title], place) => ({ name, title, place, height: heightOf(history.lines[name]) }))
    .filter(({ height }) => height >= 0);
  const titled = known.filter(({ title }) => title !== '');
  const isAll = known.length === MOST_NAMED + 1 && titled.length === known.length;
  const most = isAll ? known.length : MOST_NAMED;
  const named = titled.toSorted((one, other) => other.height - one.height).slice(0, most);
  const taken = new Set<number>();
  const lines = named
    .sort((one, other) => one.place - other.place)
    .map(({ name, title, place }) => {
      let look = place % LOOKS;
      while (taken.has(look)) look = (look + 1) % LOOKS;
      taken.add(look);
      return lineOf(history, name, lookOf(look), title);
    });
  const others = known.filter((one) => !named.includes(one)).map(({ name }) => history.lines[name]);
  if (others.length === 0) return lines;
  const values = history.at.map((_, at) => {
    const present = others.flatMap((other) => other?.[at] ?? []);
    return present.length === 0 ? null : Math.max(...present);
  });
  return [...lines, { name: `${others.length} more`, ...MORE_LOOK, values }];
}

/** Returns how high a line is at its highest, in doublings; -1 for none. */
function heightOf(values: readonly (number | null)[] = []): number {
  const present = values.flatMap((value) => value ?? []);
  return present.length === 0 ? -1 : Math.round(Math.log2(1 + Math.max(...present)));
}
