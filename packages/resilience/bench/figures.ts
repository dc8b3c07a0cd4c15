// Guards against the carrier simulator, by its own counts. Writes the table between the marks `figures` in docs/measurements. `--quick`
// only prints it, of shorter runs; `--slowMotion 5` is for machines with other work.
import { benchFlags, machine, percent, report, table, times } from '@ticketing/bench-kit';
import { measureFailingCarrier } from './figures/failing-carrier.ts';
import { leastHedgedRatio, measureHedgedCarrier } from './figures/hedged-carrier.ts';
import { measureHungCarrier } from './figures/hung-carrier.ts';
import { measureLimitedRate } from './figures/limited-rate.ts';
import { measurePausedCarrier } from './figures/paused-carrier.ts';
import { FIXED_LIMITS, measureSlowedCarrier } from './figures/slowed-carrier.ts';

const { quick, ...texts } = benchFlags(
  { rounds: 1 },
  {
    quickLengths: { rounds: 1 },
    texts: { slowMotion: 'Factor of all times that the machine adds to' },
  },
);
const slowMotion = Number(texts.slowMotion ?? 1);
const seconds = (whole: number): number => (quick ? Math.ceil(whole / 4) : whole);

// One after the other, so that none waits for the processor of another.
const hung = await measureHungCarrier({ seconds: seconds(30) * slowMotion, slowMotion });
const failing = await measureFailingCarrier({ perSecond: 50, seconds: seconds(30) });
const paused = await measurePausedCarrier();
const rate = await measureLimitedRate(seconds(60));
const hedged = await measureHedgedCarrier({ perSecond: 100, seconds: seconds(60), slowMotion });
const slowdowns = [0.25, 1] as const;
const slowed: Awaited<ReturnType<typeof measureSlowedCarrier>>[] = [];
for (const slowdown of slowdowns) {
  slowed.push(
    await measureSlowedCarrier({
      seconds: Math.max(10, seconds(20)) * slowMotion,
      slowdown,
      slowMotion,
      fixedLimits: FIXED_LIMITS,
    }),
  );
}

const ms = (value: number): string => `${value.toFixed(0)} ms`;
/** Time of a measurement in slow motion, as it would be without. */
const unslowed = (value: number): string => ms(value / slowMotion);
const extra = (requests: number): string => percent(requests - 1);
const rows = [
  ['carrier', 'figure', 'to hit', 'measured', 'without a guard'],
  [
    'hangs, one of three; 50 searches per second',
    'p99 of a search, to that of the two others',
    'at most 1.20x',
    times(hung.p99),
    '',
  ],
  [
    '',
    'searches that wait for their deadline of 500 ms, before the circuit opens and after',
    '',
    `${hung.lateBefore}, ${hung.late}`,
    'all',
  ],
  [
    '',
    `requests that reach it in ${hung.seconds} s`,
    `at most ${hung.mostRequests}: one per \`openMs\``,
    String(hung.requests),
    String(50 * hung.seconds),
  ],
  [
    `answers 500 for ${failing.calls / 50} s; \`maxAttempts\` 3`,
    `requests that reach it for ${failing.calls} calls, no circuit`,
    'at most 1.2x + 1 per second',
    `${failing.budgeted} (${times(failing.budgeted / failing.calls)})`,
    `${failing.naive} (${times(failing.naive / failing.calls)})`,
  ],
  [
    '',
    'the same with a circuit',
    '',
    `${failing.guarded} (${times(failing.guarded / failing.calls)})`,
    '',
  ],
  [
    'answers 429 with `Retry-After: 5`',
    `requests within the 5 s, of ${paused.calls} calls`,
    '0',
    String(paused.requests),
    String(paused.calls),
  ],
  ['', 'first request after them', 'at most 100 ms', ms(paused.lateMs), ''],
  [
    `5 per second, burst 5; 20 calls per second, ${rate.calls / 20} s`,
    'most requests above 5 + 5 t in any t',
    'at most 0',
    rate.above.toFixed(2),
    '',
  ],
  ['', 'requests', '', String(rate.requests), String(rate.calls)],
  [
    'log-normal latency, p50 40 ms, p99 400 ms; hedge',
    'p99',
    `at most 0.50x (no single hedge of 6 % can: ${times(leastHedgedRatio(0.06))})`,
    `${unslowed(hedged.hedged.p99)} (${times(hedged.hedged.p99 / hedged.plain.p99)})`,
    unslowed(hedged.plain.p99),
  ],
  [
    '',
    'p99.9',
    '',
    `${unslowed(hedged.hedged.p999)} (${times(hedged.hedged.p999 / hedged.plain.p999)})`,
    unslowed(hedged.plain.p999),
  ],
  ['', 'further requests', 'at most 6 %', extra(hedged.requests), ''],
];
const limits = slowed.flatMap((figures, place) =>
  figures.map(({ name, before, after }) => [
    `${slowdowns[place]}: ${name}`,
    percent(before.goodput),
    times(before.p99),
    percent(after.goodput),
    times(after.p99),
  ]),
);

const { cores, processor, node, date } = machine();
report(
  new URL('../../../docs/measurements/resilience.md', import.meta.url),
  [
    ...table(rows, 5),
    '',
    'A carrier that serves 20 calls at a time and slows down above that, at 1.5 times the calls that it can answer; its latency doubles from 200 to 400 ms.',
    'Answered calls as a share of the most possible, and p99 as a multiple of the latency without load, each from 5 s after the start and after the change.',
    '',
    ...table([
      ['slowdown: limit', 'answered before', 'p99 before', 'answered after', 'p99 after'],
      ...limits,
    ]),
    '',
    `${cores} cores, ${processor}, Node ${node}, ${date}, \`pnpm --filter @ticketing/resilience bench:figures\`: one run; requests by the counts of the simulator, in the same process. The cores were shared with other work.`,
    ...(slowMotion === 1
      ? []
      : [
          `Carriers that hang, that have a log-normal latency or that slow down, and their deadlines, in slow motion: ${slowMotion} times all times, so that what other work adds counts for less.`,
        ]),
  ],
  { quick, marks: 'figures' },
);
process.exit();
