import { percent, table, three, times } from '@ticketing/bench-kit';
import type { Judgement, Report, Verdict } from '../src/results/experiment.ts';
import { rateText } from '../src/results/rate-text.ts';
import { cellOf, figureOf, type Measured, ratioOf } from '../src/rounds/measure-rounds.ts';
import { DRAWS, type Findings, PAIRS, QUERIES, SEVERAL } from './findings.ts';

/** The seed's 297.67 to 3331.63 requests per second. */
const CLAIMED = 3331.63 / 297.67;
/** A gain is about the claimed one when it is within this factor. */
const ABOUT = 1.5;
const SAME = 1.05;
const EXPECTED_GAIN = 6;

/** Verdicts, tables and charts. */
export function report(findings: Findings): Report {
  const { clients, documents, workers, keys } = findings;
  return {
    verdicts: [gainOfSeed(findings), published(findings), ours(findings), chainOf(findings)],
    lines: [
      `One process, ${clients} clients, ${documents} documents; requests per second. The query alone: p50 of one client without a queue.`,
      '',
      ...gainTable(findings),
      ...(findings.postgres ? [] : ['', 'PostgreSQL: not measured, since no address was given.']),
      '',
      `${workers} processes, ${clients} clients with one class; requests per second, queries per request.`,
      '',
      ...severalTable(
        findings.several,
        Object.values(QUERIES).map(({ name }) => name),
      ),
      '',
      `The chain: ${clients} clients search, ${keys} different searches, ${workers} processes with a child each; requests per second, searches that reached the carriers per request.`,
      '',
      ...severalTable(findings.chain, Object.values(DRAWS)),
    ],
    charts: {
      gain: {
        title: `Requests per second, ${clients} clients`,
        mark: 'bar',
        x: '',
        y: 'requests/s',
        logarithmic: true,
        values: findings.single.map((cell) => ({
          x: cell.setting,
          y: figureOf(cell, 'perSecond'),
          series: cell.subject.replaceAll('`', ''),
        })),
      },
      chain: {
        title: 'Searches that reach the carriers, % of requests',
        mark: 'bar',
        x: 'how searches are drawn',
        y: '% of requests',
        values: findings.chain.map((cell) => ({
          x: cell.setting,
          y: 100 * figureOf(cell, 'upstream'),
          series: cell.subject.replaceAll('`', ''),
        })),
      },
    },
  };
}

function pairsOf({ postgres }: Findings) {
  return postgres ? PAIRS : PAIRS.slice(0, 2);
}

function gainTable(findings: Findings): string[] {
  const { single, alone } = findings;
  const rows = Object.values(QUERIES).flatMap(({ name }) =>
    pairsOf(findings).flatMap(({ without, gaining }) => {
      const base = cellOf(single, without, name);
      const cost = `${three(figureOf(cellOf(alone, without, name), 'p50Ms'))} ms`;
      return gaining.map((subject) => {
        const cell = cellOf(single, subject, name);
        return [name, subject, cost, rateText(base), rateText(cell), times(ratioOf(cell, base))];
      });
    }),
  );
  return table([['query', '', 'alone', 'without', 'with', 'gain'], ...rows], 2);
}

function severalTable(cells: readonly Measured[], settings: readonly string[]): string[] {
  return table([
    [
      '',
      ...settings.flatMap((name) => [
        `${name}: /s`,
        'ratio to per worker',
        'upstream per request',
        'p99',
      ]),
    ],
    ...Object.values(SEVERAL).map((subject) => [
      subject,
      ...settings.flatMap((setting) => {
        const cell = cellOf(cells, subject, setting);
        return [
          rateText(cell),
          times(ratioOf(cell, cellOf(cells, SEVERAL.perWorker, setting))),
          percent(figureOf(cell, 'upstream')),
          `${three(figureOf(cell, 'p99Ms'))} ms`,
        ];
      }),
    ]),
  ]);
}

/** Gains of a subject over its own server without a queue, for each query. */
function gainsOf({ single }: Findings, subject: string): { cheap: number; expensive: number } {
  const pair = PAIRS.find(({ gaining }) => (gaining as readonly string[]).includes(subject));
  const gain = (setting: string): number =>
    ratioOf(cellOf(single, subject, setting), cellOf(single, pair?.without ?? '', setting));
  return { cheap: gain(QUERIES.early.name), expensive: gain(QUERIES.whole.name) };
}

function gainOfSeed(findings: Findings): Verdict {
  const { cheap, expensive } = gainsOf(findings, PAIRS[0].gaining[0]);
  const isAbout = (gain: number): boolean => gain < CLAIMED * ABOUT && gain > CLAIMED / ABOUT;
  return {
    claim: `Batching equal requests gains ${times(CLAIMED)} (300 clients, 1M documents)`,
    measured: `the original queue, fixed: ${times(cheap)} when the scan stops early, ${times(expensive)} for a full scan`,
    verdict: [cheap, expensive].every(isAbout)
      ? 'holds'
      : Math.max(cheap, expensive) > SAME
        ? 'holds in part'
        : 'does not hold',
    main: true,
  };
}

function published({ published: what }: Findings): Verdict {
  const works = what.startsWith('two clients at once: 200 and 200');
  return {
    claim: 'The queue as published serves them',
    measured: what,
    verdict: works ? 'holds' : 'does not hold',
  };
}

function ours(findings: Findings): Verdict {
  const gains = [
    PAIRS[0].gaining[1],
    ...pairsOf(findings)
      .slice(1)
      .map(({ gaining }) => gaining[0]),
  ];
  const all = gains.flatMap((subject) => Object.values(gainsOf(findings, subject)));
  const enough = all.filter((gain) => gain >= EXPECTED_GAIN).length;
  const verdict: Judgement =
    enough === all.length ? 'holds' : enough > 0 ? 'holds in part' : 'does not hold';
  return {
    claim: `Expected of ours: ${EXPECTED_GAIN}x to 100x, by what the query costs`,
    measured: gains
      .map((subject) => {
        const gain = gainsOf(findings, subject);
        return `${subject} ${times(gain.cheap)} and ${times(gain.expensive)}`;
      })
      .join('; '),
    verdict,
  };
}

function chainOf({ chain, clients, keys, workers }: Findings): Verdict {
  const of = (subject: string): Measured => cellOf(chain, subject, DRAWS.uniform);
  const [robin, routed] = [of(SEVERAL.perWorker), of(SEVERAL.routed)];
  const reaching = (cell: Measured): string => percent(figureOf(cell, 'upstream'));
  const less = 1 / ratioOf(routed, robin, 'upstream');
  return {
    claim: 'Expected of ours: routed by key, equal searches of all processes are one',
    measured:
      `${clients} clients, ${keys} searches, ${workers} processes: ${reaching(routed)} of requests reach the carriers, ` +
      `${reaching(robin)} by round robin (${times(less)} fewer), ${reaching(of(SEVERAL.machine))} with one coalescer for the machine`,
    verdict: less > SAME ? 'holds' : 'does not hold',
    main: true,
  };
}
