import { percent, table } from '@ticketing/bench-kit';
import type { ChartSpec } from '../src/results/chart.ts';
import type { Judgement, Report, Verdict } from '../src/results/experiment.ts';
import { rateText } from '../src/results/rate-text.ts';
import { cellOf, ratioOf } from '../src/rounds/measure-rounds.ts';
import {
  CLAIMED,
  type Findings,
  LARGEST_CLAIM,
  LOADS,
  type Load,
  SUBJECTS,
  settingOf,
} from './findings.ts';

/** A ratio is about the claimed one when it is within this factor. */
const ABOUT = 1.5;
const EXPECTED_SHARE = 0.95;

/** Verdicts, tables and charts. */
export function report(findings: Findings): Report {
  const { workers, clients } = findings;
  return {
    verdicts: [
      ...loadsOf(findings).flatMap((load) => claimsOf(findings, load)),
      expectation(findings),
    ],
    lines: [
      `${workers} workers, ${clients} clients; requests per second. Below each the share of the cluster of the same implementation (the demo's, or the seed's) in the same round.`,
      '',
      ...ratesTable(findings),
    ],
    charts: { requests: chart(findings) },
  };
}

/** A quick run leaves out the largest. */
function loadsOf({ measured }: Findings): readonly Load[] {
  return LOADS.filter((load) => measured.some(({ setting }) => setting === settingOf(load)));
}

/** The cluster that a subject is compared with. */
function baseOf(subject: string): string {
  return subject.endsWith("seed's") ? SUBJECTS.seedCluster : SUBJECTS.cluster;
}

function shareOf({ measured }: Findings, subject: string, load: Load): number {
  const setting = settingOf(load);
  return ratioOf(cellOf(measured, subject, setting), cellOf(measured, baseOf(subject), setting));
}

function ratesTable(findings: Findings): string[] {
  const loads = loadsOf(findings);
  return table([
    ['', ...loads.map(settingOf)],
    ...Object.values(SUBJECTS).flatMap((subject) => [
      [
        subject,
        ...loads.map((load) => rateText(cellOf(findings.measured, subject, settingOf(load)))),
      ],
      ...(subject === baseOf(subject)
        ? []
        : [['', ...loads.map((load) => percent(shareOf(findings, subject, load)))]]),
    ]),
  ]);
}

function claimsOf(findings: Findings, load: Load): Verdict[] {
  const claimed = CLAIMED[settingOf(load)];
  if (claimed === undefined) return [];
  return (
    [
      ['socket', SUBJECTS.seedSocket, SUBJECTS.socket],
      ['passthru', SUBJECTS.seedPassthru, SUBJECTS.passthru],
    ] as const
  ).map(([mode, seeds, ours]) => {
    const share = claimed[mode] / claimed.cluster;
    const measured = shareOf(findings, seeds, load);
    return {
      claim: `${mode} does ${percent(share)} of cluster (${settingOf(load)})`,
      measured: `seed's ${percent(measured)}, ours ${percent(shareOf(findings, ours, load))}`,
      verdict: judge(measured, share),
      main: mode === 'socket' && settingOf(load) === LARGEST_CLAIM,
    };
  });
}

function judge(measured: number, claimed: number): Judgement {
  if (measured < claimed * ABOUT && measured > claimed / ABOUT) return 'holds';
  // Below the cluster as claimed, but by another amount.
  return measured < EXPECTED_SHARE ? 'holds in part' : 'does not hold';
}

function expectation(findings: Findings): Verdict {
  const kept = loadsOf(findings).filter(({ reuse }) => reuse);
  const shares = [SUBJECTS.socket, SUBJECTS.socketByHeader].flatMap((subject) =>
    kept.map((load) => shareOf(findings, subject, load)),
  );
  const enough = shares.filter((share) => share >= EXPECTED_SHARE).length;
  return {
    claim: `Expected of ours: socket does ${percent(EXPECTED_SHARE)} of cluster or more on kept connections`,
    measured: `${percent(Math.min(...shares))} to ${percent(Math.max(...shares))} (${kept.length} loads, by no key and by header)`,
    verdict: enough === shares.length ? 'holds' : enough > 0 ? 'holds in part' : 'does not hold',
    main: true,
  };
}

function chart(findings: Findings): ChartSpec {
  return {
    title: 'Share of the cluster of the same implementation, requests per second',
    mark: 'bar',
    x: '',
    y: '% of cluster',
    values: loadsOf(findings).flatMap((load) =>
      Object.values(SUBJECTS)
        .filter((subject) => subject !== baseOf(subject))
        .map((subject) => ({
          x: load.name,
          y: 100 * shareOf(findings, subject, load),
          series: subject.replaceAll('`', ''),
          panel: load.reuse ? 'kept connections' : 'new connections',
        })),
    ),
  };
}
