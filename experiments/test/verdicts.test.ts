import { expect, test } from 'vitest';
import * as children from '../01-one-child-per-carrier/findings.ts';
import { report as reportChildren } from '../01-one-child-per-carrier/report.ts';
import * as clusters from '../02-cluster/findings.ts';
import { report as reportCluster } from '../02-cluster/report.ts';
import * as sockets from '../03-socket/findings.ts';
import { report as reportSocket } from '../03-socket/report.ts';
import * as batches from '../04-batching/findings.ts';
import { report as reportBatching } from '../04-batching/report.ts';
import * as decodes from '../06-decode/findings.ts';
import { report as reportDecode } from '../06-decode/report.ts';
import type { Report } from '../src/results/experiment.ts';
import type { Measured } from '../src/rounds/measure-rounds.ts';

function cell(subject: string, setting: string, sample: Record<string, number>): Measured {
  return { subject, setting, samples: [{ p50Ms: 1, p99Ms: 2, failed: 0, ...sample }] };
}

const verdictsOf = ({ verdicts }: Report): string[] => verdicts.map(({ verdict }) => verdict);

/** Searches a second that wait: in this process, forked for each. */
function childFindings(here: number, forked: number): children.Findings {
  const ways = Object.values(children.SUBJECTS);
  const rate = (way: string): number =>
    way === children.SUBJECTS['fork-per-search'] ? forked : here;
  const beside = { besideP99Ms: 5 };
  return {
    workers: 2,
    clients: { waiting: 10, burning: 6 },
    cpuMs: [0, 50],
    waiting: ways.map((way) => cell(way, children.WAIT, { perSecond: rate(way), ...beside })),
    burning: ways.flatMap((way) =>
      [0, 50].map((ms) => cell(way, children.burnSetting(ms), { perSecond: 1, ...beside })),
    ),
  };
}

test.each([
  ['as version B says', 34, 17.7, ['holds', 'does not hold', 'holds']],
  ['by far more', 200, 6, ['holds', 'does not hold', 'holds in part']],
  ['as version A says', 18, 34, ['does not hold', 'holds', 'does not hold']],
  ['by nothing', 20, 20, ['does not hold', 'does not hold', 'does not hold']],
])('01: children lose %s', (_, here, forked, expected) => {
  expect(verdictsOf(reportChildren(childFindings(here, forked))).slice(0, 3)).toEqual(expected);
});

test('01: a child kept for each carrier that does as well changes nothing', () => {
  expect(verdictsOf(reportChildren(childFindings(200, 6))).at(-1)).toBe('holds');
});

/** A cluster by its share of single with one client and with 50; logging by its cost. */
function clusterFindings(few: number, many: number, logged: number): clusters.Findings {
  const measured = [1, 50].flatMap((clients) =>
    [true, false].flatMap((reuse) =>
      [true, false].flatMap((logs) => {
        const setting = clusters.settingOf({ clients, logs, reuse });
        const perSecond = 1000 * (logs ? logged : 1);
        return [
          cell(clusters.SINGLE, setting, { perSecond }),
          cell(clusters.CLUSTER, setting, { perSecond: perSecond * (clients === 1 ? few : many) }),
        ];
      }),
    ),
  );
  return {
    workers: 2,
    clients: [1, 50],
    measured,
    servedBy: { keptConnection: [1, 1, 1], newConnections: [1, 2, 1] },
  };
}

test('02: verdicts follow the ratios', () => {
  expect(verdictsOf(reportCluster(clusterFindings(0.7, 1.4, 0.8)))).toEqual([
    'holds',
    'holds',
    'holds',
    'holds in part',
  ]);
  expect(verdictsOf(reportCluster(clusterFindings(1, 0.9, 1))).slice(0, 3)).toEqual([
    'does not hold',
    'does not hold',
    'does not hold',
  ]);
});

function socketFindings(shares: { seeds: number; ours: number }): sockets.Findings {
  const { SUBJECTS } = sockets;
  const share = (subject: string): number => {
    if (subject === SUBJECTS.cluster || subject === SUBJECTS.seedCluster) return 1;
    return subject.endsWith("seed's") ? shares.seeds : shares.ours;
  };
  const measured = sockets.LOADS.flatMap((load) =>
    Object.values(SUBJECTS).map((subject) =>
      cell(subject, sockets.settingOf(load), { perSecond: 1000 * share(subject) }),
    ),
  );
  return { workers: 4, clients: 4, measured };
}

test('03: a claim holds when the share is about the claimed one, and ours by 95 %', () => {
  const { verdicts } = reportSocket(socketFindings({ seeds: 0.2, ours: 0.97 }));
  const of = (text: string) => verdicts.find(({ claim }) => claim.includes(text))?.verdict;
  expect(of('socket does 18 %')).toBe('holds');
  expect(of('socket does 87 %')).toBe('holds in part');
  expect(of('Expected of ours')).toBe('holds');
  const worse = reportSocket(socketFindings({ seeds: 1, ours: 0.9 }));
  expect(verdictsOf(worse).at(-1)).toBe('does not hold');
  expect(verdictsOf(worse).at(0)).toBe('does not hold');
});

function batchFindings(gain: number, routedUpstream: number): batches.Findings {
  const queries = Object.values(batches.QUERIES).map(({ name }) => name);
  const pairs = batches.PAIRS.slice(0, 2);
  const several = Object.values(batches.SEVERAL);
  return {
    documents: 1000,
    clients: 300,
    workers: 4,
    postgres: false,
    keys: 50,
    single: queries.flatMap((name) =>
      pairs.flatMap(({ without, gaining }) => [
        cell(without, name, { perSecond: 100 }),
        ...gaining.map((subject) => cell(subject, name, { perSecond: 100 * gain })),
      ]),
    ),
    alone: queries.flatMap((name) => pairs.map(({ without }) => cell(without, name, {}))),
    several: queries.flatMap((name) =>
      several.map((subject) => cell(subject, name, { perSecond: 1, upstream: 0.1 })),
    ),
    chain: Object.values(batches.DRAWS).flatMap((draw) =>
      several.map((subject) => {
        const upstream = subject === batches.SEVERAL.routed ? routedUpstream : 0.4;
        return cell(subject, draw, { perSecond: 1, upstream });
      }),
    ),
    published: 'two clients at once: 200 and no answer; the server has ended',
  };
}

test('04: the gain of the seed, ours, and that of routing by key', () => {
  expect(verdictsOf(reportBatching(batchFindings(11, 0.1)))).toEqual([
    'holds',
    'does not hold',
    'holds',
    'holds',
  ]);
  expect(verdictsOf(reportBatching(batchFindings(2, 0.4)))).toEqual([
    'holds in part',
    'does not hold',
    'does not hold',
    'does not hold',
  ]);
});

/** A thread by its multiple of the searches in-process at 2.6 MB, and by that of the p99 of `/healthz`. */
function decodeFindings(gain: number, healthGain: number): decodes.Findings {
  const dispatches = ['fork', 'piscina'] as const;
  const subjects = [decodes.HERE, ...decodes.othersOf({ dispatches })];
  const cellsOf = (setting: string): Measured[] =>
    subjects.map((subject) => {
      const [searches, health] = subject.startsWith('piscina') ? [gain, healthGain] : [1, 1];
      return cell(subject, setting, { perSecond: 20 * searches, besideP99Ms: 50 / health });
    });
  const sizes = [0.1, decodes.LARGE];
  return {
    dispatches,
    workers: 2,
    clients: 4,
    sizes,
    decodeMs: [0.9, 21],
    measured: sizes.flatMap((megabytes) => cellsOf(decodes.sizeSetting(megabytes))),
    once: 20,
    shares: [1],
    rising: cellsOf(decodes.shareSetting(1)),
  };
}

test('06: a thread that serves more and keeps /healthz fast pays; one that does neither does not', () => {
  const { verdicts } = reportDecode(decodeFindings(1.5, 10));
  expect(verdicts.map(({ verdict }) => verdict)).toEqual([
    'holds',
    'holds',
    'does not hold',
    'holds',
  ]);
  expect(verdicts[0]?.claim).toContain(`of ${decodes.LARGE} MB or more`);
  expect(verdictsOf(reportDecode(decodeFindings(0.8, 0.5)))).toEqual([
    'does not hold',
    'does not hold',
    'does not hold',
    'does not hold',
  ]);
});
