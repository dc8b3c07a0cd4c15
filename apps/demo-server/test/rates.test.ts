import fc from 'fast-check';
import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { OperatorView } from '../src/figures/view-schema.ts';
import { DISPATCH_NAMES } from '../src/flags/dispatch-kinds.ts';
import { ACCEPTS, COALESCES } from '../src/flags/flag-specs.ts';
import {
  faultOf,
  headlines,
  operatorTables,
  savedOf,
} from '../src/pages/operator/operator-tables.ts';
import { loadText, modesText } from '../src/pages/operator/operator-texts.ts';
import { createRates, growthOf, quantileOf } from '../src/trends/rates.ts';

const LE = [5, 10, 100];
const buckets = (...counts: number[]) => ({ leMs: LE, counts, sumMs: 0 });
const { coalesce, pools, carriers, router } = OperatorView.properties;
type Process = OperatorView['processes'][number];

function view(at: number, parts: Partial<OperatorView> = {}): OperatorView {
  return {
    ...{ at, startedAt: 0, versions: { ticketing: '1', node: 'v26' } },
    modes: {
      ...{ accept: 'cluster', workers: 2, dispatch: 'fork', dispatchWorkers: 3 },
      ...{ offload: 'whole', coalesce: 'on', tls: false, controls: 'on' },
      ...{ deadlineMs: 2000, carriers: { renfe: 'Renfe' } },
    },
    ...{ processes: [], searches: [], routes: [], coalesce: [], pools: [], carriers: [] },
    ...{ fleets: [], hosts: [], coordinators: [], events: [], health: [] },
    rates: { perSecond: {}, recent: {}, p50: {}, p99: {} },
    sample: { at, lines: {} },
    ...parts,
  };
}

function server(id: string, pid: number, more: Partial<Process> = {}): Process {
  return { id, kind: 'server', pid, state: 'ready', ageMs: 1e6, ...more };
}

const route = (process: string, ...counts: number[]) => ({
  ...{ process, method: 'GET', route: '/search', status: 200, latency: buckets(...counts) },
});

test('a count is a rate by its process and pid; a successor begins anew', () => {
  const rates = createRates();
  const add = (at: number, pid: number, counts: number[], ageMs = 1e6) =>
    rates.add(
      view(at, {
        processes: [server('server-0', pid, { ageMs })],
        routes: [route('server-0', ...counts)],
      }),
    );
  add(0, 1, [100, 0, 0, 0]);
  expect(rates.perSecond('http')).toBeUndefined();
  add(1000, 1, [103, 0, 0, 0]);
  expect(rates.perSecond('http')).toBe(3);
  // Killed: its successor has counted two in its half second.
  add(2000, 2, [0, 2, 0, 0], 500);
  expect([rates.recent('http'), rates.perSecond('http')]).toEqual([5, 2.5]);
  // A process that was not known and is old: what it has counted is older than the view.
  add(3000, 3, [50, 50, 0, 0]);
  expect(rates.recent('http')).toBe(5);
  expect(rates.quantile('http', 0.5)).toBeCloseTo((2.5 / 3) * 5);
});

test('a process that is silent for a while goes on from what it had', () => {
  const rates = createRates();
  const processes = [server('server-0', 1)];
  rates.add(view(0, { processes, routes: [route('server-0', 10)] }));
  rates.add(view(1000, { processes }));
  expect(rates.recent('http')).toBe(0);
  rates.add(view(2000, { processes, routes: [route('server-0', 14)] }));
  expect(rates.recent('http')).toBe(4);
});

test('whatever restarts, what was counted after the first view is counted once', () => {
  const tick = fc.record({
    grown: fc.array(fc.nat({ max: 20 }), { minLength: 4, maxLength: 4 }),
    restarts: fc.boolean(),
    isSilent: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(tick, { maxLength: 9 }), (ticks) => {
      const rates = createRates();
      let [pid, counts, ageMs, expected] = [1, [7, 7, 7, 7], 1e6, 0];
      let pending = 0;
      const add = (at: number, routes: OperatorView['routes']) =>
        rates.add(view(at, { processes: [server('server-0', pid, { ageMs })], routes }));
      add(0, [route('server-0', ...counts)]);
      for (const [at, { grown, restarts, isSilent }] of ticks.entries()) {
        if (restarts) {
          // What the one before counted since its last report is lost with it.
          [pid, counts, ageMs, pending] = [pid + 1, [0, 0, 0, 0], 900, 0];
        } else ageMs += 1000;
        counts = counts.map((count, place) => count + (grown[place] ?? 0));
        pending += grown.reduce((all, one) => all + one, 0);
        // A young process reports in its first view: silent ones are old.
        const reports = !isSilent || restarts;
        add((at + 1) * 1000, reports ? [route('server-0', ...counts)] : []);
        if (reports) [expected, pending] = [expected + pending, 0];
      }
      expect(rates.recent('http')).toBe(expected);
    }),
  );
});

const counts = fc.array(fc.nat({ max: 1000 }), {
  minLength: LE.length + 1,
  maxLength: LE.length + 1,
});

test('growthOf() is never negative, and all of a counter that began anew', () => {
  fc.assert(
    fc.property(counts, counts, (before, now) => {
      const growth = growthOf(before, now);
      expect(growth.every((count) => count >= 0)).toBe(true);
      const fell = now.some((count, at) => count < (before[at] ?? 0));
      expect(growth).toEqual(fell ? now : now.map((count, at) => count - (before[at] ?? 0)));
    }),
  );
});

test('quantileOf() lies in the bucket of that rank, and grows with the share', () => {
  expect(quantileOf(LE, [0, 0, 0, 0], 0.5)).toBeUndefined();
  fc.assert(
    fc.property(counts, fc.double({ min: 0.01, max: 1, noNaN: true }), (all, share) => {
      const sum = all.reduce((sofar, one) => sofar + one, 0);
      fc.pre(sum > 0);
      const value = quantileOf(LE, all, share) ?? Number.NaN;
      let [rank, at] = [share * sum, 0];
      while (at < LE.length && rank > (all[at] ?? 0)) rank -= all[at++] ?? 0;
      expect(value).toBeGreaterThanOrEqual(LE[at - 1] ?? 0);
      expect(value).toBeLessThanOrEqual(LE[at] ?? LE.at(-1) ?? 0);
      expect(quantileOf(LE, all, share / 2)).toBeLessThanOrEqual(value);
    }),
  );
});

test('calls saved: what the outermost coalescer loaded, of what clients asked', () => {
  const row = (scope: 'process' | 'machine', asked: number, loaded: number) => ({
    ...Value.Create(coalesce.items),
    ...{ process: 'server-0', name: 'search', scope, asked, led: loaded },
  });
  expect(savedOf(view(0))).toBeUndefined();
  expect(savedOf(view(0, { coalesce: [row('process', 10, 4)] }))).toBeCloseTo(0.6);
  const both = [row('process', 10, 4), row('machine', 4, 1)];
  expect(savedOf(view(0, { coalesce: both }))).toBeCloseTo(0.9);
});

test('each table has as many cells as columns, and its figures as text', () => {
  const processes = [
    { ...server('primary', 1), kind: 'primary' as const },
    server('server-0', 2, { utilisation: 0.123, loopP99Ms: 3.21, memoryBytes: 2 ** 27 }),
    { ...server('server-0/task-0', 2), kind: 'thread' as const, threadId: 4 },
    { ...server('server-1/task-0', 3), kind: 'task' as const },
    server('server-1', 4, { state: 'silent' }),
  ];
  const full = view(1000, {
    processes,
    pools: [
      {
        ...Value.Create(pools.items),
        ...{ process: 'server-0', id: 'server-0/tasks', kind: 'fork', size: 3, running: 2 },
        ...{ queued: 1, completed: 9, lost: 1, killed: 2, recycled: 3, circuit: 'open' },
        buckets: { wait: buckets(1), run: buckets(0, 1), transport: buckets(1) },
      },
    ],
    carriers: [
      {
        ...{ process: 'server-0', id: 'renfe', states: { ok: 3, timeout: 2, error: 1 } },
        ...{ latency: { ok: buckets(3) }, http: Value.Create(carriers.items).http },
      },
    ],
    upstream: [
      {
        ...{ id: 'renfe', arrived: 4, answered: 3, aborted: 0, open: 1 },
        plan: { latency: { kind: 'fixed', ms: 50 }, fault: { kind: 'hang', share: 0.5 } },
      },
    ],
    router: {
      ...{ ...Value.Create(router), accepted: 3, handedOver: 3, claim: buckets(3) },
      workers: [{ slot: '0', state: 'ready', queued: 1, open: 2, handedOver: 3, forwarded: 4 }],
    },
  });
  const rates = createRates();
  rates.add(full);
  for (const [name, table] of Object.entries(operatorTables)) {
    for (const { cells } of table.rows(full, rates)) {
      expect([name, cells.length]).toEqual([name, table.columns.length]);
    }
  }
  const rows = (name: keyof typeof operatorTables) =>
    operatorTables[name].rows(full, rates).map(({ cells }) => cells.map(String).join(' | '));
  expect(rows('processes')[1]).toMatch(
    /ready \| – \| – \| 12 % \| <svg.*59,8\.8.*<\/svg> \| 3.2 ms \| 128 MiB \| 17 min$/,
  );
  expect(rows('processes')[2]).toContain('thread 4');
  expect(operatorTables.processes.rows(full, rates).map(({ kill }) => kill)).toEqual([
    ...['', 'server-0', '', 'server-1/task-0', 'server-1'],
  ]);
  expect(rows('pools')[0]).toContain('1, 2, 3 | open');
  expect(rows('carriers')[0]).toContain('<b>hang, 50 % of calls</b>');
  expect(rows('router')[0]).toMatch(/^server-0 \| ready \| 2 \| <svg.*\| 1 \| 3 \| 4$/);
  expect(headlines(full, rates).get('Calls saved')).toBe('–');
});

test('what became of a load is said by status', () => {
  const load = {
    path: '/',
    perSecond: 5,
    seconds: 2,
    sent: 4,
    answers: { 0: 1, 200: 3 },
    isRunning: true,
  };
  expect(loadText({ load })).toBe('4 of 10 sent, 1 x no answer, 3 x 200');
  expect(loadText({ load: { ...load, isRunning: false } })).toMatch(/^4 sent, /);
  expect(loadText({})).toBe('');
});

test('the modes are said in sentences, for every way to accept, dispatch and coalesce', () => {
  const texts = new Set<string>();
  const { modes } = view(0);
  for (const accept of ACCEPTS) {
    for (const dispatch of DISPATCH_NAMES) {
      for (const coalesce of COALESCES) {
        texts.add(modesText({ modes: { ...modes, accept, dispatch, coalesce, fleet: 'demo' } }));
      }
    }
  }
  expect(texts.size).toBe(ACCEPTS.length * DISPATCH_NAMES.length * COALESCES.length);
  expect([...texts].filter((text) => /undefined|; ;/.test(text))).toEqual([]);
  expect(faultOf({ fault: { kind: 'drip', share: 1 } })).toBe('drip, every call');
  expect([faultOf({ fault: null }), faultOf(undefined)]).toEqual([undefined, undefined]);
});
