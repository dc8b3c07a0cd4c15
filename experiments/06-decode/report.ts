import { table, three, times } from '@ticketing/bench-kit';
import type { ChartSpec } from '../src/results/chart.ts';
import type { Judgement, Report, Verdict } from '../src/results/experiment.ts';
import { type Comparison, compare } from '../src/rounds/compare.ts';
import { crossover, type Gain } from '../src/rounds/crossover.ts';
import { cellOf, figureOf, type Measured, ratioOf } from '../src/rounds/measure-rounds.ts';
import {
  type Findings,
  HERE,
  LARGE,
  othersOf,
  shareSetting,
  sizeSetting,
  subjectOf,
  type WorkerDispatch,
} from './findings.ts';

type Figure = 'perSecond' | 'besideP99Ms';

const THREADS = subjectOf('piscina', 'normalise');
const THREADS_WHOLE = subjectOf('piscina', 'whole');
const PROCESSES = subjectOf('fork', 'normalise');

/** Verdicts, tables and charts. */
export function report(findings: Findings): Report {
  const { clients, workers, once, rising, measured } = findings;
  const failed = [...measured, ...rising].flatMap(({ samples }) => samples);
  const failures = failed.reduce((sum, sample) => sum + (sample['failed'] ?? 0), 0);
  return {
    verdicts: [threadsPay(findings), healthIsFree(findings), whole(findings), moved(findings)],
    lines: [
      `${clients} clients, each asking again as soon as it is answered; dispatchers of ${workers} workers. Searches per second, then p99 of \`/healthz\` in ms, requested 100 times per second meanwhile. Decoding: in one process that does nothing else, the least of ten times. ${failures === 0 ? 'No search failed.' : `${failures} searches failed.`}`,
      '',
      ...sizesTable(findings),
      '',
      ...crossovers(findings),
      '',
      `Answers of ${LARGE} MB at a constant rate: 1x is what in-process served to the ${clients} clients, ${three(once)}/s. p50 / p99 of a search in ms, counted from when it was due, then p99 of \`/healthz\`.`,
      '',
      ...risingTable(findings),
    ],
    charts: {
      searches: bySizeChart(findings, 'perSecond', 'Searches per second by size of the answer'),
      health: bySizeChart(findings, 'besideP99Ms', 'p99 of /healthz beside that load'),
      rising: risingChart(findings),
    },
  };
}

function subjectsOf(findings: Findings): string[] {
  return [HERE, ...othersOf(findings)];
}

function sizesTable(findings: Findings): string[] {
  const { sizes, decodeMs, measured } = findings;
  const subjects = subjectsOf(findings);
  return table([
    ['answer', 'decoding', ...subjects],
    ...sizes.map((megabytes, place) => [
      sizeSetting(megabytes),
      `${three(decodeMs[place] ?? Number.NaN)} ms`,
      ...subjects.map((subject) => {
        const cell = cellOf(measured, subject, sizeSetting(megabytes));
        return `${three(figureOf(cell, 'perSecond'))}, ${three(figureOf(cell, 'besideP99Ms'))}`;
      }),
    ]),
  ]);
}

function crossovers(findings: Findings): string[] {
  return table(
    [
      ['beside in-process', 'more searches per second', 'lower p99 of `/healthz`'],
      ...othersOf(findings).map((subject) => [
        subject,
        crossover(gains(findings, subject, 'perSecond'), 'MB'),
        crossover(gains(findings, subject, 'besideP99Ms'), 'MB'),
      ]),
    ],
    3,
  );
}

function risingTable(findings: Findings): string[] {
  const { shares, rising } = findings;
  const subjects = subjectsOf(findings);
  return table([
    ['rate', ...subjects],
    ...shares.map((share) => [
      shareSetting(share),
      ...subjects.map((subject) => {
        const cell = cellOf(rising, subject, shareSetting(share));
        const own = `${three(figureOf(cell, 'p50Ms'))} / ${three(figureOf(cell, 'p99Ms'))}`;
        return `${own}, ${three(figureOf(cell, 'besideP99Ms'))}`;
      }),
    ]),
  ]);
}

/** Ratios of a way to in-process, by size; above 1 is better, for latencies too. */
function gains({ sizes, measured }: Findings, subject: string, name: Figure): Gain[] {
  return sizes.map((megabytes) => {
    const [own, here] = [subject, HERE].map((each) =>
      cellOf(measured, each, sizeSetting(megabytes)),
    ) as [Measured, Measured];
    const ratio = name === 'perSecond' ? ratioOf(own, here, name) : ratioOf(here, own, name);
    return { at: megabytes, ratio };
  });
}

function largeOf({ measured }: Findings, subject: string): Measured {
  return cellOf(measured, subject, sizeSetting(LARGE));
}

/** The claim of docs/choosing.md, which was measured with tasks that burn CPU. */
function threadsPay(findings: Findings): Verdict {
  const { sizes, decodeMs, measured } = findings;
  const longer = sizes.filter((_, place) => (decodeMs[place] ?? 0) >= 1);
  const pairOf = (megabytes: number) =>
    [THREADS, HERE].map((each) => cellOf(measured, each, sizeSetting(megabytes))) as [
      Measured,
      Measured,
    ];
  const [threads, here] = pairOf(LARGE);
  const from = crossover(gains(findings, THREADS, 'perSecond'), 'MB');
  return {
    claim: `Choosing: a thread pays for a task of more than a millisecond, so for an answer of ${longer[0]} MB or more`,
    measured: `more searches ${from}; at ${LARGE} MB ${three(figureOf(threads, 'perSecond'))}/s, in-process ${three(figureOf(here, 'perSecond'))}/s: ${times(ratioOf(threads, here))}`,
    verdict: all(
      longer.map((megabytes) => compare(...pairOf(megabytes))),
      'more',
    ),
    main: true,
  };
}

function healthIsFree(findings: Findings): Verdict {
  const [threads, threadsWhole, here] = [THREADS, THREADS_WHOLE, HERE].map((each) =>
    largeOf(findings, each),
  ) as [Measured, Measured, Measured];
  const p99 = (cell: Measured): string => `${three(figureOf(cell, 'besideP99Ms'))} ms`;
  const sides = [threads, threadsWhole].map((cell) => compare(cell, here, 'besideP99Ms'));
  return {
    claim: `Expected of ours: beside answers of ${LARGE} MB a thread makes \`/healthz\` faster`,
    measured: `p99 in-process ${p99(here)}, piscina ${p99(threads)} with \`normalise\`, ${p99(threadsWhole)} with \`whole\``,
    verdict: all(sides, 'less'),
    main: true,
  };
}

function whole(findings: Findings): Verdict {
  const ratio = (dispatch: WorkerDispatch): number => {
    const [own, other] = pair(findings, dispatch);
    return ratioOf(own, other);
  };
  const sides = findings.dispatches.map((dispatch) => compare(...pair(findings, dispatch)));
  return {
    claim: `Expected of ours: at ${LARGE} MB the worker should ask as well (\`whole\`), because the bytes then never pass through the server`,
    measured: `\`whole\` to \`normalise\`, searches per second: ${findings.dispatches.map((each) => `${each} ${times(ratio(each))}`).join(', ')}`,
    verdict: all(sides, 'more'),
  };
}

function pair(findings: Findings, dispatch: WorkerDispatch): [Measured, Measured] {
  return [
    largeOf(findings, subjectOf(dispatch, 'whole')),
    largeOf(findings, subjectOf(dispatch, 'normalise')),
  ];
}

function moved(findings: Findings): Verdict {
  const [threads, processes] = [THREADS, PROCESSES].map((each) => largeOf(findings, each)) as [
    Measured,
    Measured,
  ];
  const health = ratioOf(processes, threads, 'besideP99Ms');
  return {
    claim:
      'Choosing: with `normalise` threads beat processes, because buffers are moved to a thread and copied to a process',
    measured: `piscina to fork at ${LARGE} MB: ${times(ratioOf(threads, processes))} of the searches, \`/healthz\` p99 ${times(1 / health)}`,
    verdict: all([compare(threads, processes)], 'more'),
  };
}

function all(sides: readonly Comparison[], wanted: Comparison): Judgement {
  const held = sides.filter((side) => side === wanted).length;
  if (held === sides.length) return 'holds';
  if (held > 0) return 'holds in part';
  return sides.includes('open') ? 'open' : 'does not hold';
}

function bySizeChart(findings: Findings, name: Figure, title: string): ChartSpec {
  const { sizes, measured } = findings;
  return {
    title,
    mark: 'line',
    x: 'answer, MB',
    y: name === 'perSecond' ? 'searches/s' : 'ms',
    logarithmic: true,
    values: subjectsOf(findings).flatMap((series) =>
      sizes.map((megabytes) => ({
        x: megabytes,
        y: figureOf(cellOf(measured, series, sizeSetting(megabytes)), name),
        series,
      })),
    ),
  };
}

function risingChart(findings: Findings): ChartSpec {
  const { shares, rising, once } = findings;
  return {
    title: `p99 of a search and of /healthz at a rising rate of searches, answers of ${LARGE} MB`,
    mark: 'line',
    x: 'searches asked per second',
    y: 'ms',
    logarithmic: true,
    values: subjectsOf(findings).flatMap((series) =>
      shares.flatMap((share) => {
        const cell = cellOf(rising, series, shareSetting(share));
        const x = share * once;
        return [
          { x, y: figureOf(cell, 'p99Ms'), series, panel: 'search' },
          { x, y: figureOf(cell, 'besideP99Ms'), series, panel: '/healthz' },
        ];
      }),
    ),
  };
}
