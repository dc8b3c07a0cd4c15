import { expect, test } from 'vitest';
import { notCoalesced } from '../src/answers/answers-stats.ts';
import { kinds } from '../src/answers/kinds.ts';
import { fleetSources, hostProcesses, hostSources } from '../src/figures/fleet-sources.ts';
import type { ProcessStatus } from '../src/figures/process-status.ts';
import { StatsDocument } from '../src/figures/stats-document.ts';
import { withIds } from '../src/processes/process-ids.ts';
import { MADRID_BARCELONA, sharedServer } from './demo.ts';
import { statsAt, statuses, viewOf } from './operator-view-cases.ts';
import { schemaErrors } from './schema-errors.ts';

const alone = sharedServer('--latency', '0');

test('one process: its searches, its carriers, its coalescers, and tasks in itself', async () => {
  await alone().get(MADRID_BARCELONA);
  const view = viewOf(statuses(await statsAt(alone().url)));
  expect(view.processes).toMatchObject([{ id: 'server-0', kind: 'server', pid: process.pid }]);
  expect(view.processes[0]?.utilisation).toBeLessThanOrEqual(1);
  expect(view.searches).toMatchObject([{ process: 'server-0', complete: 1 }]);
  expect(view.pools).toMatchObject([
    { id: 'server-0/tasks', kind: 'in-process', completed: 3, size: 1 },
  ]);
  expect(view.carriers.map(({ id, states, http }) => [id, states['ok'], http.sent])).toEqual([
    ['renfe', 1, 4],
    ['ouigo', 1, 2],
    ['avlo', 1, 2],
  ]);
  expect(view.coalesce.map(({ name, scope, asked }) => [name, scope, asked])).toEqual([
    ...Object.values(kinds).map(({ coalescer: name }) => [
      name,
      'process',
      Number(name === 'search'),
    ]),
    ['streams', 'process', 0],
  ]);
});

test('a process that has not reported is silent, and nothing else is known of it', async () => {
  const [first] = statuses(await statsAt(alone().url));
  const silent = {
    id: 'server-1',
    role: 'server',
    pid: 7,
    state: 'silent',
    ageMs: 5.14159,
  } as const;
  const view = viewOf(first === undefined ? [] : [first, silent]);
  expect(view.processes[1]).toEqual({
    ...{ id: 'server-1', kind: 'server', pid: 7, state: 'silent', ageMs: 5.142 },
  });
  expect(view.pools).toHaveLength(1);
  expect(schemaErrors(StatsDocument, { processes: [silent] })).toEqual([]);
});

test('withIds() gives each worker an id of its own, that of the slot to the one that works', () => {
  const workers = [
    { workerId: 4, slot: 0, state: 'starting' },
    { workerId: 2, slot: 1, state: 'ready' },
    { workerId: 1, slot: 0, state: 'ready' },
    { workerId: 3, slot: 0, state: 'stopping' },
  ] as const;
  expect(withIds('server', workers).map(({ id, worker }) => [id, worker.workerId])).toEqual([
    ['server-0', 1],
    ['server-0/other', 4],
    ['server-0/other-2', 3],
    ['server-1', 2],
  ]);
});

test('hosts of a fleet: each is one process, whoever has a session with it; counters of its calls and searches are its own', () => {
  const figures = (sent: number) => ({ inFlight: 0, sent, retried: 0, refused: 0 });
  const report = (name: string, pid: number, ageMs: number) => ({
    ...{ name, pid, ageMs, http: { renfe: figures(ageMs) }, coalesce: undefined },
    search: {
      state: 'open',
      running: 0,
      complete: 1,
      partial: 0,
      aborted: 0,
      carriers: {},
      latency: {},
    },
    ...notCoalesced,
    process: {
      memoryBytes: 1,
      cpuMs: 2,
      utilisation: 0.5,
      eventLoop: { p50Ms: 0, p99Ms: 1, maxMs: 2 },
    },
  });
  const worker = (host: string | undefined, moduleReport: unknown) => ({
    ...{ workerId: 1, slot: 0, state: 'ready', inFlight: 1, done: 2, window: 8, ageMs: 1 },
    ...{ report: { host, rttMs: 1.23456, credit: 9 }, moduleReport },
  });
  const known = (host: string, state: string, refused?: string) => ({
    ...{ host, zone: undefined, revision: undefined, capacity: 8, state, refused },
  });
  const server = (id: string, workers: unknown[]) => ({
    ...{ id, role: 'server', pid: 1, state: 'ready', ageMs: 1 },
    stats: {
      dispatch: { kind: 'nats', workers },
      hosts: {
        ...{ fleet: 'demo', id: 'x', state: 'connected', refused: { tasks: 1 }, lost: { gap: 2 } },
        hosts: [
          known('one.aaaaaaaa', 'serving'),
          known('two.bbbbbbbb', 'leaving'),
          known('far.cccccccc', 'serving'),
          known('old.dddddddd', 'serving', 'protocol'),
          known('ill.eeeeeeee', 'silent'),
        ],
      },
    },
  });
  const servers = [
    server('server-0', [
      worker('one.aaaaaaaa', report('one', 10, 1)),
      worker('two.bbbbbbbb', report('one', 11, 5)),
      worker(undefined, undefined),
    ]),
    server('server-1', [worker('one.aaaaaaaa', report('one', 10, 2))]),
  ] as unknown as ProcessStatus[];
  expect(hostProcesses(servers).map(({ id, report: { pid, ageMs } }) => [id, pid, ageMs])).toEqual([
    ['one', 10, 2],
    ['one/2', 11, 5],
  ]);
  expect(hostSources(servers).map(({ process, name, state }) => [process, name, state])).toEqual([
    ['server-0', 'one', 'joined'],
    ['server-0', 'two', 'leaving'],
    ['server-0', 'far', 'known'],
    ['server-0', 'old', 'refused'],
    ['server-0', 'ill', 'silent'],
    ['server-1', 'one', 'joined'],
    ['server-1', 'two', 'leaving'],
    ['server-1', 'far', 'known'],
    ['server-1', 'old', 'refused'],
    ['server-1', 'ill', 'silent'],
  ]);
  expect(hostSources(servers)[0]).toMatchObject({ rttMs: 1.235, credit: 9, inFlight: 1, done: 2 });
  expect(fleetSources(servers)).toMatchObject([
    { process: 'server-0', id: 'tasks', name: 'demo', refused: { tasks: 1 }, lost: { gap: 2 } },
    { process: 'server-1', id: 'tasks', name: 'demo' },
  ]);
});
