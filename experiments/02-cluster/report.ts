import { percent, table, three, times } from '@ticketing/bench-kit';
import type { ChartSpec } from '../src/results/chart.ts';
import type { Judgement, Report, Verdict } from '../src/results/experiment.ts';
import { rateText } from '../src/results/rate-text.ts';
import { type Comparison, compare } from '../src/rounds/compare.ts';
import { cellOf, figureOf, type Measured, ratioOf } from '../src/rounds/measure-rounds.ts';
import { CLUSTER, type Findings, type Load, SINGLE, settingOf } from './findings.ts';

/** Like the seed's `ab` without `-k`: each request has a connection of its own. */
const SEED = { reuse: false } as const;

/** Verdicts, tables and charts. */
export function report(findings: Findings): Report {
  const { workers, servedBy } = findings;
  return {
    verdicts: [
      slowerWhenFew(findings),
      fasterWhenMany(findings),
      loggingCosts(findings),
      turns(findings),
    ],
    lines: [
      `Requests of \`/compute\` a second; the cluster has ${workers} workers. The ratio is of cluster to single in the same round.`,
      '',
      ...ratesTable(findings),
      '',
      `The workers that served eight requests in a row: over one kept connection ${servedBy.keptConnection.join(' ')}, over a new connection each ${servedBy.newConnections.join(' ')}.`,
    ],
    charts: { requests: chart(findings) },
  };
}

function loadsOf({ clients }: Findings): Load[] {
  return [true, false].flatMap((reuse) =>
    [false, true].flatMap((logs) => clients.map((count) => ({ clients: count, logs, reuse }))),
  );
}

function pair(findings: Findings, load: Load): { single: Measured; cluster: Measured } {
  const of = (subject: string): Measured => cellOf(findings.measured, subject, settingOf(load));
  return { single: of(SINGLE), cluster: of(CLUSTER) };
}

function ratesTable(findings: Findings): string[] {
  return table([
    [
      'connections, logging, clients',
      'single',
      'cluster',
      'cluster to single',
      'p99 single',
      'p99 cluster',
    ],
    ...loadsOf(findings).map((load) => {
      const { single, cluster } = pair(findings, load);
      const name = `${load.reuse ? 'kept' : 'new'}, ${load.logs ? 'on' : 'off'}, ${load.clients}`;
      const p99 = (cell: Measured): string => `${three(figureOf(cell, 'p99Ms'))} ms`;
      return [
        name,
        rateText(single),
        rateText(cluster),
        times(ratioOf(cluster, single)),
        p99(single),
        p99(cluster),
      ];
    }),
  ]);
}

/** The ratio of cluster to single, with and without logging, on new connections. */
function ratios(findings: Findings, clients: number): { without: number; with: number } {
  const of = (logs: boolean): number => {
    const { single, cluster } = pair(findings, { ...SEED, clients, logs });
    return ratioOf(cluster, single);
  };
  return { without: of(false), with: of(true) };
}

/** Compares cluster with single, without and with logging, on new connections. */
function sides(findings: Findings, clients: number): Comparison[] {
  return [false, true].map((logs) => {
    const { single, cluster } = pair(findings, { ...SEED, clients, logs });
    return compare(cluster, single);
  });
}

function slowerWhenFew(findings: Findings): Verdict {
  const ratio = ratios(findings, 1);
  return {
    claim: 'With one client a cluster is slower than one process',
    measured: `${times(ratio.without)} without logging, ${times(ratio.with)} with (new connections)`,
    verdict: both(sides(findings, 1), 'less'),
  };
}

function fasterWhenMany(findings: Findings): Verdict {
  const ratio = ratios(findings, 50);
  return {
    claim: 'With 50 clients a cluster is faster: 1.18k to 1.11k/s with logging',
    measured: `${times(ratio.without)} without logging, ${times(ratio.with)} with (new connections; ${findings.workers} workers on as many cores, which the load shares)`,
    verdict: both(sides(findings, 50), 'more'),
    main: true,
  };
}

function loggingCosts(findings: Findings): Verdict {
  const of = (logs: boolean) => pair(findings, { ...SEED, clients: 50, logs });
  const [logged, silent] = [of(true), of(false)];
  const cost = (way: 'single' | 'cluster'): string =>
    percent(1 - ratioOf(logged[way], silent[way]));
  return {
    claim: 'Logging each request costs: 1.42k to 1.18k/s, 17 %, with 50 clients on a cluster',
    measured: `cluster ${cost('cluster')}, single ${cost('single')} (new connections)`,
    verdict: both(
      [compare(logged.single, silent.single), compare(logged.cluster, silent.cluster)],
      'less',
    ),
  };
}

function turns({ servedBy, workers }: Findings): Verdict {
  const isTurn = servedBy.newConnections.every((place, index) => place === (index % workers) + 1);
  return {
    claim: 'Eight requests in a row are served by the workers in turn (round robin)',
    measured: `new connections: ${servedBy.newConnections.join(' ')}; one kept connection: ${servedBy.keptConnection.join(' ')}`,
    verdict: isTurn
      ? servedBy.keptConnection.every((place) => place === 1)
        ? 'holds in part'
        : 'holds'
      : 'does not hold',
  };
}

function both(sides: readonly Comparison[], wanted: Comparison): Judgement {
  const held = sides.filter((side) => side === wanted).length;
  if (held === sides.length) return 'holds';
  if (held > 0) return 'holds in part';
  return sides.includes('open') ? 'open' : 'does not hold';
}

function chart(findings: Findings): ChartSpec {
  return {
    title: 'GET /compute, requests per second',
    mark: 'bar',
    x: 'clients',
    y: 'requests/s',
    values: loadsOf(findings).flatMap((load) =>
      Object.entries(pair(findings, load)).map(([series, cell]) => ({
        x: String(load.clients),
        y: figureOf(cell, 'perSecond'),
        series,
        panel: `${load.reuse ? 'kept' : 'new'} connections, logging ${load.logs ? 'on' : 'off'}`,
      })),
    ),
  };
}
