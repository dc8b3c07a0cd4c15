import { expect, test } from 'vitest';
import { notCoalesced } from '../src/answers/answers-stats.ts';
import { hostReportOf, taskReportOf } from '../src/figures/checked-reports.ts';
import { hostProcesses } from '../src/figures/fleet-sources.ts';
import { operatorView } from '../src/figures/operator-view.ts';
import type { ProcessStatus } from '../src/figures/process-status.ts';
import { readFlags } from '../src/flags/read-flags.ts';

const figures = {
  ...{ memoryBytes: 1, cpuMs: 1, utilisation: 0.5 },
  eventLoop: { p50Ms: 1, p99Ms: 1, maxMs: 1 },
};
const sound = {
  ...{ name: 'one', pid: 7, ageMs: 10, http: {} },
  ...notCoalesced,
  process: figures,
  search: {
    ...{
      state: 'open',
      running: 0,
      complete: 0,
      partial: 0,
      aborted: 0,
      carriers: {},
      latency: {},
    },
  },
};

const circle: Record<string, unknown> = { ...sound };
circle['self'] = circle;

const unsound: readonly (readonly [string, unknown])[] = [
  ['nothing', undefined],
  ['null', null],
  ['an empty object', {}],
  ['a list', [sound]],
  ['a number', 5],
  ['a text', 'one'],
  ['the report of a worker', { http: {}, process: figures }],
  ['a report without its event loop', { ...sound, process: { ...figures, eventLoop: undefined } }],
  ['a name that is no text', { ...sound, name: 5 }],
  ['a name of several lines', { ...sound, name: 'one\ntwo' }],
  ['a name of markup', { ...sound, name: '<b>' }],
  ['a name that is too long', { ...sound, name: 'x'.repeat(65) }],
  ['a pid that is no number', { ...sound, pid: '7' }],
  ['a pid that is not whole', { ...sound, pid: 0.5 }],
  ['a time without end', { ...sound, ageMs: Number.POSITIVE_INFINITY }],
  ['searches that are null', { ...sound, search: null }],
  ['counts that are texts', { ...sound, search: { ...sound.search, running: '1' } }],
  ['carriers that are a list', { ...sound, http: [1] }],
  ['calls that are null', { ...sound, http: { renfe: null } }],
  ['guards that are a list', { ...sound, guards: [1] }],
  ['a circuit that is none', { ...sound, guards: { renfe: { circuit: 'ajar' } } }],
  ['a coalescer of another version', { ...sound, coalesce: { name: 'x' } }],
  ['worms that are none', { ...sound, worms: undefined }],
  ['what JSON cannot write', { ...sound, more: 1n }],
  ['a circle', circle],
  ['a megabyte', { ...sound, more: 'x'.repeat(1_000_000) }],
];

/** A server process with a pool of hosts, which report this. */
function processWith(...reports: readonly unknown[]): ProcessStatus {
  const workers = reports.map((moduleReport, index) => ({
    ...{ workerId: index + 1, slot: index, state: 'ready', moduleReport, inFlight: 0, done: 0 },
  }));
  const pool = { kind: 'nats', workers, histograms: {}, buckets: {} };
  const hosts = { fleet: 'demo', id: 'x', state: 'connected', hosts: [], refused: {}, lost: {} };
  const stats = {
    ...{ dispatch: pool, hosts, search: sound.search, http: {}, process: figures, routes: [] },
    ...notCoalesced,
    admission: { inFlight: 0, refused: { busy: 0, late: 0 } },
    streams: { asked: 0, joined: 0, inFlight: 0 },
  };
  const status = { id: 'server-0', role: 'server', pid: 1, state: 'ready', ageMs: 1, stats };
  return status as unknown as ProcessStatus;
}

test.each(unsound)('hostReportOf() is undefined for %s [checked-frames]', (_, report) => {
  expect(hostReportOf(report)).toBeUndefined();
});

test('hostReportOf() returns the report of a host', () => {
  expect(hostReportOf(sound)).toBe(sound);
  expect(hostReportOf({ ...sound, name: 'shop-1.example:4222_x', more: 1 })).toBeDefined();
});

test('taskReportOf() returns the report of a worker, and nothing for anything else [checked-frames]', () => {
  const report = { http: {}, process: figures };
  expect(taskReportOf(report)).toBe(report);
  for (const odd of [undefined, null, {}, [], 5, { http: {} }, { ...report, process: null }]) {
    expect(taskReportOf(odd)).toBeUndefined();
  }
});

test('the operator sees all other hosts, whatever one of them reports [checked-frames]', () => {
  const { flags } = readFlags([], {});
  for (const [, report] of unsound) {
    const processes = [processWith(report, sound)];
    expect(hostProcesses(processes).map(({ id }) => id)).toEqual(['one']);
    const view = operatorView(processes, { at: 2, startedAt: 1, flags });
    expect(view.processes.map(({ id, kind }) => [id, kind])).toEqual([
      ['server-0', 'server'],
      ['one', 'host'],
    ]);
  }
});
