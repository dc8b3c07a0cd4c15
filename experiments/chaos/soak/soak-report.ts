import { table, three } from '@ticketing/bench-kit';
import { FIGURES, type FigureName, type Trend } from './figures.ts';

/** A soak of one set-up, as results are stored. Plain data. */
export interface SoakResult {
  readonly setup: string;
  readonly minutes: number;
  readonly requests: number;
  readonly bad: Readonly<Record<string, number>>;
  readonly lateShare: number;
  readonly trends: readonly Trend[];
}

/** Lateness of the harness with which times, and what grows as requests wait, prove nothing. */
const NO_TIME = 0.01;

/** Returns what is wrong with a soak, a line each. `isBeside`: other work shared the cores. */
export function failuresOf(result: SoakResult, isBeside = false): readonly string[] {
  const { setup, bad, trends, requests, lateShare } = result;
  const hasTime = !isBeside && lateShare < NO_TIME;
  const grown = trends
    .filter(({ grows, figure }) => grows && (hasTime || !FIGURES[figure].waits))
    .map(({ process, figure, low, hours }) => {
      const { name, unit, tolerance } = FIGURES[figure];
      const most = `${three(low * hours)} ${unit}`.trim();
      return `${setup}: ${name} of ${process} grows by at least ${most} in ${three(hours * 60)} min; ${tolerance} are none`;
    });
  // A process that gets no core misses its checks, and is replaced.
  const never = hasTime ? ['wrong', 'hung', 'cut', 'open'] : ['wrong'];
  const wrong = never.flatMap((grade) =>
    bad[grade] === undefined
      ? []
      : [`${setup}: ${bad[grade]} of ${requests} requests are ${grade}`],
  );
  return [...grown, ...wrong];
}

/** Formats the trends of soaks, the process of each figure whose lower bound is the highest. */
export function soakTable(results: readonly SoakResult[]): string[] {
  const rows = results.flatMap((result) =>
    (Object.keys(FIGURES) as FigureName[]).flatMap((figure, index) => {
      const own = result.trends.filter((trend) => trend.figure === figure);
      const [worst] = own.toSorted((one, other) => other.low - one.low);
      if (worst === undefined) return [];
      const { name, unit, tolerance } = FIGURES[figure];
      const title = index === 0 ? `${result.setup}, ${result.minutes} min` : '';
      return [
        [
          ...[
            title,
            name,
            worst.process.replace(/ \d+$/, ''),
            `${three(worst.level)} ${unit}`.trim(),
          ],
          `${three(worst.perHour)} (${three(worst.low)} to ${three(worst.high)})`,
          three(worst.low * worst.hours),
          String(tolerance),
          worst.grows ? '**grows**' : 'no growth',
        ],
      ];
    }),
  );
  const head = [
    '',
    'figure',
    'process',
    'level',
    'slope per hour (95 %)',
    'at least, in the run',
    'none',
    '',
  ];
  return table([head, ...rows], 3);
}
