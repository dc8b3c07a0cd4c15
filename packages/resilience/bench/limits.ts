// Adaptive limits on a modelled carrier in virtual time: the result is the same on every machine. Writes the table between the marks
// `limits` in docs/measurements. `--quick` only prints it.
import { benchFlags, median, percent, report, table, times } from '@ticketing/bench-kit';
import { type Compared, compareLimit } from './limits/compare-limits.ts';
import { gradientLimiter, guardLimiter } from './limits/limiters.ts';
import { loads } from './limits/loads.ts';
import type { Limiter } from './limits/modelled-carrier.ts';

const { quick, rounds } = benchFlags({ rounds: 16 }, { quickLengths: { rounds: 4 } });

function cells(create: () => Limiter, load: (typeof loads)[number]): string[] {
  const seeds = Array.from({ length: rounds }, (_, round) => 7919 * (round + 1));
  const compared = seeds.map((seed) => compareLimit(create, load, seed));
  const middle = (read: (one: Compared) => number): number => median(compared.map(read));
  const goodputs = [middle(({ before }) => before.goodput), middle(({ after }) => after.goodput)];
  const p99s = [middle(({ before }) => before.p99), middle(({ after }) => after.p99)];
  return [goodputs.map(percent).join(', '), p99s.map(times).join(', ')];
}

const rows = loads.map((load) => [
  load.name,
  ...cells(guardLimiter, load),
  ...cells(gradientLimiter, load),
]);
report(
  new URL('../../../docs/measurements/resilience.md', import.meta.url),
  [
    ...table([['', 'guard: answered', 'p99', 'gradient: answered', 'p99'], ...rows]),
    '',
    `\`pnpm --filter @ticketing/resilience bench:limits\`: a carrier for 20 calls at a time, in virtual time, medians of ${rounds} seeds. Answered calls and their p99 relative to the best`,
    'fixed limit, at half as many calls again as the carrier can answer: before the change and after it, each from 5 s on.',
  ],
  { quick, marks: 'limits' },
);
