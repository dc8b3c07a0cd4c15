import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { OperatorView } from '../src/figures/view-schema.ts';
import { DISPATCH_NAMES } from '../src/flags/dispatch-kinds.ts';
import { ACCEPTS, COALESCES } from '../src/flags/flag-specs.ts';
import { presetList } from '../src/pages/operator/controls-panel.ts';
import { topFigures } from '../src/pages/operator/figures-row.ts';
import { healthLine, healthSentence } from '../src/pages/operator/health-line.ts';
import { operatorTables, type TableName } from '../src/pages/operator/operator-tables.ts';
import { loadText, modesText } from '../src/pages/operator/operator-texts.ts';
import { processesNote, tableRows } from '../src/pages/operator/table-section.ts';
import { faultOf } from '../src/pages/words/plan-words.ts';
import { ratesOf, savedShare } from '../src/trends/view-rates.ts';
import {
  buckets,
  someCondition,
  someGuard,
  someHistory,
  someServer,
  someView,
} from './bare-view.ts';

const { pools, carriers, router } = OperatorView.properties;
const textOf = (markup: unknown) =>
  String(markup)
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

const processes = [
  { ...someServer('primary', 1), kind: 'primary' as const },
  someServer('server-0', 2, { utilisation: 0.123, loopP99Ms: 3.21, memoryBytes: 2 ** 27 }),
  { ...someServer('server-0/task-0', 2), kind: 'thread' as const, threadId: 4 },
  { ...someServer('server-1/task-0', 3), kind: 'task' as const, inFlight: 4 },
  someServer('server-1', 4, { state: 'silent' }),
];
const full = someView({
  at: 1000,
  processes,
  rates: {
    perSecond: { http: 48.24, asked: 50, led: 20, 'requests server-0': 14.1 },
    recent: {
      asked: 100,
      led: 38,
      'state renfe timeout': 179,
      'state renfe ok': 4,
      'state renfe circuit-open': 7,
    },
    p50: { http: 41, 'carrier renfe': 310 },
    p99: { http: 2049, 'carrier renfe': 412 },
  },
  health: [
    someCondition({ since: 5000, detail: '37 calls open' }),
    someCondition({
      ...{ subject: 'process', id: 'server-0', state: 'slow', severity: 'warn' },
      ...{ name: 'server-0', says: 'is slow', detail: '86 % busy' },
    }),
    someCondition({
      ...{ subject: 'process', id: 'server-0/task-1', state: 'dead', severity: 'bad' },
      ...{ name: 'server-0/task-1', says: 'is dead' },
    }),
  ],
  pools: [
    {
      ...Value.Create(pools.items),
      ...{ process: 'server-0', id: 'server-0/tasks', kind: 'fork', size: 3, slots: 4, running: 2 },
      ...{ queued: 1, completed: 9, lost: 1, killed: 2, recycled: 3, circuit: 'open' },
      buckets: { wait: buckets(1), run: buckets(0, 1), transport: buckets(1) },
    },
  ],
  carriers: [
    {
      ...{ process: 'server-0', id: 'renfe', states: { ok: 3, timeout: 2, error: 1 } },
      ...{ latency: { ok: buckets(3) } },
      http: { ...Value.Create(carriers.items).http, inFlight: 37 },
      guard: { ...someGuard, circuit: 'open', openMs: 4000 },
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
const history = someHistory(1000, { 'busy server-0': () => 0.5 });

test('each table has as many cells as columns, and its figures as text', () => {
  for (const [name, table] of Object.entries(operatorTables)) {
    for (const { cells } of table.rows(full, history)) {
      expect([name, cells.length]).toEqual([name, table.columns.length]);
    }
  }
  const rows = (name: TableName) =>
    operatorTables[name].rows(full, history).map(({ cells }) => cells.map(textOf).join(' | '));
  expect(rows('processes')[1]).toBe(
    'server-0 pid 2 | ▲ slow | 14.1 | – | 12 % |  | 3.2 ms | 128 MiB',
  );
  expect(rows('carriers')).toEqual([
    'RE Renfe | ■ hangs | hangs, 50 % | ■ open, 4.0 s | 310, 412 ms | 4 | 179 | 7 | 37',
  ]);
  expect(rows('pools')[0]).toMatch(
    /^server-0\/tasks fork \| ■ open \| 3 of 4 \| 2 \| 1 \|.*\| 1, 2, 3$/,
  );
  expect(rows('router')).toEqual(['server-0 | ● ready | 2 |  | 1 | 3 | 4']);
});

test('processes are a tree: a dead one keeps its row, and only replaceable ones can be killed', () => {
  const rows = operatorTables.processes.rows(full, history);
  expect(rows.map(({ key, mark }) => [key, mark])).toEqual([
    ['primary', 'ready'],
    ['server-0', 'slow'],
    ['server-0/task-0', 'ready'],
    ['server-0/task-1', 'dead'],
    ['server-1/task-0', 'ready'],
    ['server-1', 'silent'],
  ]);
  expect(rows.map(({ kill }) => kill)).toEqual([
    ...['', 'server-0', '', '', 'server-1/task-0', 'server-1'],
  ]);
  expect(textOf(rows[2]?.cells[0])).toBe('server-0/ task-0 pid 2, thread 4');
  expect(processesNote(full)).toBe('6, of which 1 dead, 1 slow, 1 silent');
  expect(
    operatorTables.processes
      .rows({ ...full, modes: { ...full.modes, controls: 'read' } }, history)
      .some(({ kill }) => kill !== ''),
  ).toBe(false);
});

test('the question before a process is killed is a row below its own, as long as it can be killed', () => {
  const rows = (asked: string | undefined) =>
    String(tableRows('processes', { view: full, history, asked }));
  expect(rows(undefined)).not.toContain('alertdialog');
  expect(
    textOf(rows('server-1/task-0').split('data-key="kill server-1/task-0"')[1]?.split('</tr>')[0]),
  ).toMatch(
    /Kill server-1\/task-0\? Its 4 calls are retried; a new worker starts in its slot\. Kill Keep/,
  );
  expect(rows('server-0/task-1')).not.toContain('alertdialog');
  expect(rows('primary')).not.toContain('alertdialog');
});

test('health is one line: the worst first, three at most, and notes do not count', () => {
  expect(textOf(healthLine(full))).toMatch(
    /^■ 3 things are not well Renfe hangs since \d\d:\d\d:05, 37 calls open server-0 is slow since .*, 86 % busy server-0\/task-1 is dead since [\d:]+$/,
  );
  const five = someView({
    health: Array.from({ length: 5 }, (_, at) => someCondition({ id: `c${at}`, name: `C${at}` })),
  });
  expect(textOf(healthLine(five))).toMatch(/^■ 5 things .* C2 hangs since [\d:]+ and 2 more$/);
  expect(healthSentence(five)).toBe(
    '5 things are not well: C0 hangs, C1 hangs, C2 hangs and 2 more',
  );
  const slow = someView({
    health: [someCondition({ state: 'slow', severity: 'warn', says: 'is slow' })],
  });
  expect(textOf(healthLine(slow))).toMatch(/^▲ 1 thing is not well Renfe is slow since/);
  const starting = someView({ processes, health: [someCondition({ severity: 'note' })] });
  expect(textOf(healthLine(starting))).toBe(
    '● All well 2 server processes, 2 task workers, 3 carriers',
  );
  // What changes each second is not said again and again.
  const later = { ...full, health: full.health.map((one) => ({ ...one, detail: 'other' })) };
  expect(healthSentence(later)).toBe(healthSentence(full));
});

test('six figures, none of them invented', () => {
  expect(
    topFigures(full).map(({ name, value, note }) => `${name}: ${value} ${note || ''}`.trim()),
  ).toEqual([
    'Requests/s: 48.2',
    'In flight: 0',
    'Answer, p50: 41 ms',
    'Answer, p99: 2.0 s deadline 2.0 s',
    'Errors/s: 0.0',
    'Calls saved: 62 % 30.0/s',
  ]);
  expect(topFigures(someView()).map(({ value }) => value)).toEqual(['–', '0', '–', '–', '–', '–']);
  expect(topFigures(undefined).map(({ value }) => value)).toEqual(['–', '–', '–', '–', '–', '–']);
  expect(savedShare(ratesOf(someView()))).toBeUndefined();
});

test('a preset in force is one to reset; presets of carriers that are not asked are not offered', () => {
  const names = new Map(Object.entries(full.modes.carriers));
  const buttons = (upstream: OperatorView['upstream']) =>
    [...String(presetList(names, upstream)).matchAll(/aria-label="([^"]+)"/g)].map(
      ([, label]) => label,
    );
  expect(buttons(undefined)).toEqual([
    'Set: Renfe hangs',
    'Set: Half of Ouigo fails',
    'Set: Avlo drips',
    'Reset all: All well',
  ]);
  const plan = { fault: { kind: 'hang', share: 1 } };
  const hanging = { id: 'renfe', arrived: 0, answered: 0, aborted: 0, open: 0, plan };
  expect(buttons([hanging])[0]).toBe('Reset: Renfe hangs');
  expect(buttons([{ ...hanging, plan: { fault: { kind: 'hang', share: 0.5 } } }])[0]).toMatch(
    /^Set/,
  );
  names.delete('ouigo');
  expect(buttons(undefined)).not.toContain('Set: Half of Ouigo fails');
});

test('the outcome of a load is shown by status', () => {
  const load = {
    path: '/',
    perSecond: 5,
    seconds: 2,
    sent: 4,
    answers: { 0: 1, 200: 3 },
    isRunning: true,
  };
  expect(loadText({ load })).toBe('4 of 10 sent, 1 × no answer, 3 × HTTP 200');
  expect(loadText({ load: { ...load, isRunning: false } })).toMatch(/^4 sent, /);
  expect(loadText({})).toBe('');
});

test('the modes are described in sentences, for every way to accept, dispatch and coalesce', () => {
  const texts = new Set<string>();
  const { modes } = someView();
  for (const accept of ACCEPTS) {
    for (const dispatch of DISPATCH_NAMES) {
      for (const coalesce of COALESCES) {
        texts.add(modesText({ modes: { ...modes, accept, dispatch, coalesce, fleet: 'demo' } }));
      }
    }
  }
  expect(texts.size).toBe(ACCEPTS.length * DISPATCH_NAMES.length * COALESCES.length);
  expect([...texts].filter((text) => /undefined|; ;/.test(text))).toEqual([]);
  expect(faultOf({ fault: { kind: 'drip', share: 1 } })).toBe('drips');
  expect([faultOf({ fault: null }), faultOf(undefined)]).toEqual([undefined, undefined]);
});
