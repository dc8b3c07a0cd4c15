import { table, three, times } from '@ticketing/bench-kit';
import type { Judgement, Report, Verdict } from '../src/results/experiment.ts';
import { rateText } from '../src/results/rate-text.ts';
import { type Comparison, compare } from '../src/rounds/compare.ts';
import { crossover, type Gain } from '../src/rounds/crossover.ts';
import { cellOf, figureOf, ratioOf } from '../src/rounds/measure-rounds.ts';
import {
  burnSetting,
  DEMO_DISPATCHES,
  demoSubject,
  type Findings,
  SEARCH,
  SUBJECTS,
  WAIT,
} from './findings.ts';

const WAYS = Object.values(SUBJECTS);
const OTHERS = WAYS.slice(1);
const HERE = SUBJECTS['in-process'];
const FORKED = SUBJECTS['fork-per-search'];
const KEPT = SUBJECTS['child-per-carrier'];
/** Ratios closer to 1 than this count as equal. */
const SAME = 1.05;
/** Ratios within this factor count as about equal. */
const ABOUT = 1.5;

/** Verdicts, tables and charts. */
export function report(findings: Findings): Report {
  return {
    verdicts: [...contradiction(findings), freedom(findings), furtherStudy(findings)],
    lines: [
      `${findings.clients.waiting} clients on kept connections; searches per second, milliseconds of a search, and of \`/healthz\`, requested 50 times per second meanwhile.`,
      '',
      ...waitingTable(findings),
      '',
      `The same with tasks that burn CPU, three per search, ${findings.clients.burning} clients, pools of ${findings.workers}: searches per second, then p99 of \`/healthz\` in ms.`,
      '',
      ...burningTable(findings),
      '',
      ...crossovers(findings),
    ],
    charts: {
      searches: {
        title: 'Searches per second by CPU per task (three tasks per search)',
        mark: 'line',
        x: 'CPU per task, ms',
        y: 'searches/s',
        logarithmic: true,
        values: curve(findings, 'perSecond'),
      },
      health: {
        title: 'p99 of /healthz beside that load',
        mark: 'line',
        x: 'CPU per task, ms',
        y: 'ms',
        logarithmic: true,
        values: curve(findings, 'besideP99Ms'),
      },
    },
  };
}

function waitingTable({ waiting }: Findings): string[] {
  const cells = (subject: string, setting: string): string[] => {
    const cell = waiting.find((each) => each.subject === subject && each.setting === setting);
    if (cell === undefined) return ['', '', ''];
    const own = `${three(figureOf(cell, 'p50Ms'))} / ${three(figureOf(cell, 'p99Ms'))}`;
    return [rateText(cell), own, three(figureOf(cell, 'besideP99Ms'))];
  };
  const columns = ['/s', 'p50 / p99', 'healthz p99'];
  return table([
    ['', ...columns.map((each) => `wait: ${each}`), ...columns.map((each) => `search: ${each}`)],
    ...[...WAYS, ...DEMO_DISPATCHES.map(demoSubject)].map((subject) => [
      subject,
      ...cells(subject, WAIT),
      ...cells(subject, SEARCH),
    ]),
  ]);
}

function burningTable({ cpuMs, burning }: Findings): string[] {
  return table([
    ['CPU per task', ...WAYS],
    ...cpuMs.map((ms) => [
      `${ms} ms`,
      ...WAYS.map((way) => {
        const cell = cellOf(burning, way, burnSetting(ms));
        return `${three(figureOf(cell, 'perSecond'))}, ${three(figureOf(cell, 'besideP99Ms'))}`;
      }),
    ]),
  ]);
}

function crossovers(findings: Findings): string[] {
  return table(
    [
      ['beside in-process', 'more searches per second', 'lower p99 of `/healthz`'],
      ...OTHERS.map((way) => [
        way,
        crossover(gains(findings, way, 'perSecond'), 'ms'),
        crossover(gains(findings, way, 'besideP99Ms'), 'ms'),
      ]),
    ],
    3,
  );
}

/** Ratios of a way to in-process, by CPU per task; above 1 is better, for latencies too. */
function gains(
  { cpuMs, burning }: Findings,
  way: string,
  name: 'perSecond' | 'besideP99Ms',
): Gain[] {
  return cpuMs.map((ms) => {
    const [own, here] = [way, HERE].map((each) => cellOf(burning, each, burnSetting(ms)));
    if (own === undefined || here === undefined)
      throw new Error('Cannot report: a cell is missing');
    return {
      at: ms,
      ratio: name === 'perSecond' ? ratioOf(own, here, name) : ratioOf(here, own, name),
    };
  });
}

function curve({ cpuMs, burning }: Findings, name: string) {
  return WAYS.flatMap((way) =>
    cpuMs.map((ms) => ({
      x: ms,
      y: figureOf(cellOf(burning, way, burnSetting(ms)), name),
      series: way,
    })),
  );
}

function contradiction({ waiting }: Findings): Verdict[] {
  const [here, forked] = [HERE, FORKED].map((way) => cellOf(waiting, way, WAIT));
  if (here === undefined || forked === undefined)
    throw new Error('Cannot report: a cell is missing');
  const ratio = ratioOf(here, forked);
  const side = compare(here, forked);
  const [hereRate, forkedRate] = [here, forked].map((cell) => three(figureOf(cell, 'perSecond')));
  const measured = `in this process ${hereRate}/s, fork per search ${forkedRate}/s: ${times(ratio)}`;
  return [
    {
      claim: 'The text, both versions: the single process wins',
      measured,
      verdict: side === 'open' ? 'open' : side === 'more' ? 'holds' : 'does not hold',
      main: true,
    },
    {
      claim: "Version A's labels: single process 18/s, child processes 34/s (0.52x)",
      measured,
      verdict: judgeRatio(side, ratio, 18 / 34),
    },
    {
      claim: "Version B's labels: single process 34/s, child processes 18/s (1.92x)",
      measured,
      verdict: judgeRatio(side, ratio, 34 / 17.7),
    },
  ];
}

/** A ratio on the wrong side of 1 refutes a claimed one; on the right side it must be about as large. */
function judgeRatio(side: Comparison, measured: number, claimed: number): Judgement {
  if (side === 'open') return 'open';
  if (side !== (claimed > 1 ? 'more' : 'less')) return 'does not hold';
  return measured < claimed * ABOUT && measured > claimed / ABOUT ? 'holds' : 'holds in part';
}

function freedom(findings: Findings): Verdict {
  const [forked, pool] = [FORKED, SUBJECTS['fork-pool']].map((way) =>
    crossover(gains(findings, way, 'besideP99Ms'), 'ms'),
  );
  const isFree = gains(findings, FORKED, 'besideP99Ms');
  const waits = isFree.at(0)?.ratio ?? Number.NaN;
  return {
    claim: "The hypothesis: children free the event loop's time for other requests",
    measured: `\`/healthz\` p99 beside in-process: fork per search better ${forked} of CPU per task, warm pool ${pool}`,
    verdict:
      waits > SAME
        ? 'holds'
        : isFree.some(({ ratio }) => ratio > SAME)
          ? 'holds in part'
          : 'does not hold',
    main: true,
  };
}

function furtherStudy({ waiting }: Findings): Verdict {
  const [kept, here] = [cellOf(waiting, KEPT, WAIT), cellOf(waiting, HERE, WAIT)];
  const verdicts = {
    same: 'holds',
    less: 'holds in part',
    more: 'does not hold',
    open: 'open',
  } as const;
  return {
    claim:
      'The further study: a child kept for each carrier would probably change nothing for work that waits',
    measured: `${times(ratioOf(kept, here))} of the searches in this process`,
    verdict: verdicts[compare(kept, here)],
  };
}
