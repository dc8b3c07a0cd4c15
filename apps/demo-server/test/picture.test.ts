import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CARRIER_NAMES } from '../src/carriers/carriers.ts';
import { ACCEPTS, COALESCES, MAX_WORKERS } from '../src/flags/flag-specs.ts';
import { folded } from '../src/pages/picture/layout/folded.ts';
import { layoutOf, PICTURE } from '../src/pages/picture/layout/layout-of.ts';
import type { Placed } from '../src/pages/picture/layout/placed.ts';
import { mapShapes, widthOf } from '../src/pages/picture/map-shapes.ts';
import { partTable } from '../src/pages/picture/part-table.ts';
import type { Shape } from '../src/pages/picture/shape.ts';
import {
  CALLS,
  JOIN,
  partsOf,
  type SystemModel,
} from '../src/pages/picture/system/system-model.ts';
import { systemAtRest, systemOf } from '../src/pages/picture/system/system-of.ts';
import { type Composed, someView } from './composed-views.ts';

const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
const modelOf = (composed: Composed) => systemOf(someView(composed));
const kindsOf = ({ columns }: SystemModel) => columns.map(({ kind }) => kind).join(' ');
const titlesOf = ({ columns }: SystemModel) => columns.map(({ title }) => title);
const part = (model: SystemModel, id: string) => partsOf(model).find((each) => each.id === id);
const edges = ({ edges: all }: SystemModel) =>
  all.map(({ from, to, rate }) => [
    from,
    to,
    rate === undefined ? rate : Math.round(rate * 10) / 10,
  ]);
const into = (model: SystemModel, end: string) =>
  sum(model.edges.filter(({ to }) => to === end).map(({ rate = 0 }) => rate));

describe('systemOf()', () => {
  test.each<[string, Composed, string]>([
    ['one process', {}, 'clients servers coalescing carriers'],
    ['nothing is shared', { coalesce: 'off' }, 'clients servers carriers'],
    [
      'cluster and fork',
      { accept: 'cluster', workers: 2, dispatch: 'fork', dispatchWorkers: 2 },
      'clients accept servers coalescing workers carriers',
    ],
    [
      'tasks in the servers, by the primary',
      { accept: 'socket', workers: 2, dispatch: 'cluster', coalesce: 'machine' },
      'clients accept servers coalescing workers carriers',
    ],
    [
      'hosts',
      { dispatch: 'nats', hosts: ['host-0', 'host-1'] },
      'clients servers coalescing hosts carriers',
    ],
    [
      'hosts that own keys, and workers',
      { accept: 'passthru', workers: 2, dispatch: 'piscina', coalesce: 'fleet', hosts: ['other'] },
      'clients accept servers coalescing hosts workers carriers',
    ],
  ])('%s: has the columns that there are', (_, composed, kinds) => {
    expect(kindsOf(modelOf(composed))).toBe(kinds);
  });

  test('a model at rest has the columns and parts of the running server, so that nothing moves', () => {
    for (const accept of ACCEPTS) {
      for (const dispatch of ['in-process', 'fork', 'piscina', 'cluster'] as const) {
        for (const coalesce of COALESCES) {
          const view = someView({ accept, dispatch, coalesce, workers: 3, dispatchWorkers: 2 });
          const [rest, live] = [systemAtRest(view.modes), systemOf(view)];
          const ids = (model: SystemModel) => partsOf(model).map(({ id }) => id);
          expect(ids(rest), `${accept} ${dispatch} ${coalesce}`).toEqual(ids(live));
          expect(titlesOf(rest)).toEqual(titlesOf(live));
          expect(new Set(partsOf(rest).map(({ state }) => state))).toEqual(new Set(['unknown']));
        }
      }
    }
  });

  test('each server has its own funnel and pool; equal searches of all have one funnel', () => {
    const composed = {
      accept: 'cluster',
      workers: 2,
      dispatch: 'fork',
      dispatchWorkers: 2,
    } as const;
    expect(edges(modelOf(composed))).toEqual([
      ['clients', 'accept', 40],
      ['accept', 'server server-0', 20],
      ['accept', 'server server-1', 20],
      ['server server-0', 'funnel server-0', 20],
      ['server server-1', 'funnel server-1', 20],
      ['funnel server-0', 'pool server-0/tasks', 15],
      ['funnel server-1', 'pool server-1/tasks', 15],
      ['pool server-0/tasks', CALLS, 15],
      ['pool server-1/tasks', CALLS, 15],
      ...['renfe', 'ouigo', 'avlo'].map((id) => [CALLS, `carrier ${id}`, 10]),
    ]);
    const all = modelOf({ ...composed, coalesce: 'machine' });
    expect(all.columns.find(({ kind }) => kind === 'coalescing')?.parts).toMatchObject([
      {
        name: 'all processes',
        share: 0.75,
        lines: ['75 %', 'calls saved', '40.0/s asked', '10.0/s loads'],
      },
    ]);
    expect(edges(all).filter(([from]) => String(from).startsWith('funnel'))).toEqual([
      ['funnel all', 'pool server-0/tasks', 15],
      ['funnel all', 'pool server-1/tasks', 15],
    ]);
  });

  test('calls begin where carriers are asked from, and none is lost', () => {
    const callers = (composed: Composed) =>
      modelOf(composed)
        .edges.filter(({ to }) => to === CALLS)
        .map(({ from }) => from);
    const fork = { dispatch: 'fork', dispatchWorkers: 2 } as const;
    expect(callers(fork)).toEqual(['pool server-0/tasks']);
    // The workers decode; the server asks.
    expect(callers({ ...fork, offload: 'normalise' })).toEqual(['funnel server-0']);
    expect(callers({ ...fork, coalesce: 'off', offload: 'normalise' })).toEqual([
      'server server-0',
    ]);
    expect(callers({ coalesce: 'off' })).toEqual(['server server-0']);
    expect(callers({ dispatch: 'nats', hosts: ['a', 'b'] })).toEqual(['host a', 'host b']);
    expect(callers({ dispatch: 'nats' })).toEqual(['funnel server-0']);
    expect(callers({ coalesce: 'fleet', hosts: ['b'] })).toEqual(['funnel all', 'host b']);
    for (const offload of ['whole', 'normalise', 'search']) {
      for (const coalesce of COALESCES) {
        expect(into(modelOf({ ...fork, offload, coalesce }), CALLS)).toBeCloseTo(30);
      }
    }
  });

  test('calls are divided by what each process has sent', () => {
    const calls = (composed: Composed, sent: Readonly<Record<string, number>>) => {
      const view = someView(composed);
      const own = Object.entries(sent).map(([id, rate]) => [`sent by ${id}`, rate] as const);
      const perSecond = { ...view.rates.perSecond, ...Object.fromEntries(own) };
      const model = systemOf({ ...view, rates: { ...view.rates, perSecond } });
      return edges({ ...model, edges: model.edges.filter(({ to }) => to === CALLS) }).map(
        ([from, , rate]) => [from, rate],
      );
    };
    const composed = { accept: 'cluster', workers: 2, dispatchWorkers: 2 } as const;
    const searched = { 'server-0/task-0': 2, 'server-0/task-1': 4, 'server-1/task-0': 24 };
    expect(calls({ ...composed, dispatch: 'fork', offload: 'search' }, searched)).toEqual([
      ['pool server-0/tasks', 6],
      ['pool server-1/tasks', 24],
    ]);
    // A search of two requests a call: the calls are those of the carriers.
    expect(calls(composed, { 'server-0': 20, 'server-1': 40 })).toEqual([
      ['funnel server-0', 10],
      ['funnel server-1', 20],
    ]);
    expect(calls({ dispatch: 'nats', hosts: ['a', 'b'] }, { a: 20, b: 10 })).toEqual([
      ['host a', 20],
      ['host b', 10],
    ]);
    const owners = { coalesce: 'fleet', hosts: ['b'], accept: 'cluster', workers: 2 } as const;
    expect(calls(owners, { 'server-0': 5, 'server-1': 5, b: 20 })).toEqual([
      ['funnel all', 10],
      ['host b', 20],
    ]);
  });

  test('a fleet without a host shows where its tasks run', () => {
    const model = modelOf({ dispatch: 'nats' });
    expect(titlesOf(model)).toContain('0 hosts of fleet demo');
    expect(part(model, 'host')).toMatchObject({ name: 'No host', state: 'dead' });
    expect(model.edges.some(({ to }) => to === JOIN)).toBe(false);
  });

  test('conditions are states; a process that there is not is dead, and so are its workers', () => {
    const since = 1;
    const composed = {
      ...{ accept: 'socket' as const, workers: 3, dispatch: 'fork' as const, dispatchWorkers: 2 },
      gone: ['server-0/task-1', 'server-1', 'server-1/task-0', 'server-1/task-1'],
      health: [
        {
          subject: 'carrier',
          id: 'renfe',
          state: 'hangs',
          severity: 'bad',
          since,
          name: 'Renfe',
          says: 'hangs',
        },
        {
          subject: 'process',
          id: 'server-2',
          state: 'slow',
          severity: 'warn',
          since,
          name: 'server-2',
          says: 'is slow',
        },
        {
          subject: 'process',
          id: 'server-2/task-0',
          state: 'starting',
          severity: 'note',
          since,
          name: 'task-0',
          says: 'starts',
        },
        {
          subject: 'pool',
          id: 'server-2/tasks',
          state: 'full',
          severity: 'warn',
          since,
          name: 'Workers',
          says: 'have no room',
        },
      ],
    } as const;
    const model = modelOf(composed);
    const states = Object.fromEntries(
      partsOf(model).flatMap(({ id, state }) => (state === 'healthy' ? [] : [[id, state]])),
    );
    expect(states).toEqual({
      'server server-1': 'dead',
      'server server-2': 'slow',
      'worker server-0/task-1': 'dead',
      'worker server-1/task-0': 'dead',
      'worker server-1/task-1': 'dead',
      'worker server-2/task-0': 'starting',
      'pool server-2/tasks': 'full',
      'carrier renfe': 'hangs',
    });
    expect(part(model, 'carrier renfe')?.lines).toEqual(['10.0/s · 0 open']);
    expect(model.edges.find(({ to }) => to === 'carrier renfe')?.state).toBe('hangs');
  });

  test('a process that is being replaced is counted with its successor, and has no part of its own', () => {
    const view = someView({ accept: 'cluster', workers: 1 });
    const [, server] = view.processes;
    if (server === undefined) throw new Error('no server');
    const model = systemOf({
      ...view,
      processes: [...view.processes, { ...server, id: 'server-0/other', requests: 7, inFlight: 1 }],
    });
    expect(part(model, 'server server-0')).toMatchObject({
      counts: { requests: 17 },
      lines: ['40.0/s · 3 in flight'],
    });
    expect(partsOf(model).filter(({ kind }) => kind === 'server')).toHaveLength(1);
  });
});

/** Every box of a layout: parts, and the workers of each pool. */
const boxesOf = (parts: readonly Placed[]) =>
  parts.flatMap((placed) => (placed.cells === undefined ? [placed] : [...placed.cells]));
const overlap = (one: Placed, other: Placed) =>
  one.x < other.x + other.width - 0.01 &&
  other.x < one.x + one.width - 0.01 &&
  one.y < other.y + other.height - 0.01 &&
  other.y < one.y + one.height - 0.01;

function expectGoodLayout(model: SystemModel): void {
  const drawn = folded(model);
  const { parts, edges: ways, titles } = layoutOf(drawn);
  const boxes = boxesOf(parts);
  for (const [at, one] of boxes.entries()) {
    expect(one.x, one.part.id).toBeGreaterThanOrEqual(0);
    expect(one.x + one.width, one.part.id).toBeLessThanOrEqual(PICTURE.width + 0.01);
    expect(one.y, one.part.id).toBeGreaterThanOrEqual(18);
    expect(one.y + one.height, one.part.id).toBeLessThanOrEqual(PICTURE.height);
    // A worker can be hit with a pointer.
    expect(Math.min(one.width, one.height), one.part.id).toBeGreaterThanOrEqual(17);
    for (const other of boxes.slice(at + 1)) {
      expect(overlap(one, other), `${one.part.id} lies over ${other.part.id}`).toBe(false);
    }
  }
  expect(ways).toHaveLength(drawn.edges.length);
  for (const { d, from } of ways) {
    expect(d, from).toMatch(/^M[\d. ]+([LC][\d. ]+)+$/);
    const part = parts.find((placed) => placed.part.id === from);
    if (part === undefined) continue;
    // It begins at what is drawn, not at room that is left.
    const ends = boxesOf([part]).map(({ x, width }) => x + width);
    expect(Number.parseFloat(d.slice(1)), from).toBeCloseTo(Math.max(...ends), 0);
  }
  expect(titles).toHaveLength(drawn.columns.length);
}

describe('layoutOf()', () => {
  test('with any parts, nothing lies over anything, and all is in the picture', () => {
    fc.assert(
      fc.property(
        fc.record({
          accept: fc.constantFrom(...ACCEPTS),
          workers: fc.integer({ min: 1, max: 16 }),
          dispatchWorkers: fc.integer({ min: 1, max: 32 }),
          dispatch: fc.constantFrom('in-process', 'fork', 'piscina', 'cluster', 'nats'),
          coalesce: fc.constantFrom(...COALESCES),
          offload: fc.constantFrom('whole', 'normalise', 'search'),
          carriers: fc.subarray([...CARRIER_NAMES], { minLength: 1 }),
          hosts: fc.constantFrom([], ['a'], ['a', 'b'], [...'abcdefghijkl']),
        }),
        (composed) => expectGoodLayout(modelOf(composed as Composed)),
      ),
      { numRuns: 150 },
    );
    expectGoodLayout(modelOf({ dispatch: 'fork', dispatchWorkers: MAX_WORKERS }));
  });

  test('8 servers of 8 workers are 64 cells; more workers are a bar, more servers one line', () => {
    const fork = { accept: 'socket', dispatch: 'fork' } as const;
    const eight = layoutOf(folded(modelOf({ ...fork, workers: 8, dispatchWorkers: 8 })));
    expect(boxesOf(eight.parts).filter((box) => box.part.kind === 'worker')).toHaveLength(64);
    const view = someView({ ...fork, workers: 12, dispatchWorkers: 32, gone: ['server-11'] });
    const model = systemOf(view);
    const twelve = layoutOf(folded(model));
    expect(twelve.parts.filter((box) => box.part.kind === 'server')).toHaveLength(8);
    expect(
      twelve.parts.filter((box) => box.part.kind === 'more').map((box) => box.part),
    ).toMatchObject([
      { name: 'and 4 more', state: 'dead', lines: ['✕ 1 dead'] },
      { name: 'and 4 more' },
      { name: 'and 4 more' },
    ]);
    expect(textsOf(mapShapes(twelve, 40))).toContain('running 32 of 32');
    // Ways to what is folded are one way, as wide as all of them; one leads nowhere.
    const [way] = twelve.edges.filter(({ from, to }) => from === 'accept' && to === 'more servers');
    expect(way?.rate).toBeCloseTo((40 / 12) * 3);
    expect(String(partTable(model))).toContain('<th scope="row">server-11</th>');
  });
});

const textsOf = (shapes: readonly Shape[]): string[] =>
  shapes.flatMap(({ inside }) => (typeof inside === 'string' ? [inside.trim()] : textsOf(inside)));
const named = (shapes: readonly Shape[], key: string): Shape | undefined =>
  shapes
    .flatMap((each) => (typeof each.inside === 'string' ? [each] : [each, ...each.inside]))
    .find((each) => each.key === key);

describe('mapShapes()', () => {
  test('a way is 1.5 wide without traffic, 12 at the highest rate, and linear between', () => {
    expect([0, 10, 20, 40, undefined].map((rate) => widthOf(rate, 40))).toEqual([
      1.5, 4.1, 6.8, 12, 1.5,
    ]);
    expect(widthOf(0, 0)).toBe(1.5);
  });

  test('the funnel is as tall as what is asked, then as what is loaded', () => {
    const funnelOf = (led: number) => {
      const view = someView({ coalesce: 'on' });
      // In ten seconds, as is the figure at the top of the page.
      const recent = { ...view.rates.recent, 'led process server-0': led * 10 };
      const rates = { ...view.rates, recent };
      const shapes = mapShapes(layoutOf(systemOf({ ...view, rates })), 40);
      const funnel = named(shapes, 'funnel server-0')?.inside as readonly Shape[];
      const d = String(funnel.find(({ key }) => key === 'funnel')?.attributes['d']);
      const [, top, narrow, low] = /^M\S+ (\S+)C.* (\S+)V(\S+)C/.exec(d) ?? [];
      const bottom = / (\S+)z$/.exec(d)?.[1];
      return (Number(low) - Number(narrow)) / (Number(bottom) - Number(top));
    };
    expect(funnelOf(40)).toBeCloseTo(1, 2);
    expect(funnelOf(10)).toBeCloseTo(0.25, 2);
    expect(funnelOf(0)).toBeLessThan(0.02);
  });

  test('every part is a link whose name has its state and figures', () => {
    const model = modelOf({ accept: 'socket', workers: 2, dispatch: 'fork', dispatchWorkers: 1 });
    const links = (shapes: readonly Shape[]): Shape[] =>
      shapes.flatMap((each) => [
        ...(each.tag === 'a' ? [each] : []),
        ...(typeof each.inside === 'string' ? [] : links(each.inside)),
      ]);
    const labels = links(mapShapes(layoutOf(model), 40)).map(
      ({ attributes }) => attributes['aria-label'],
    );
    expect(labels).toEqual([
      'Clients, 40.0/s, 6 open',
      'Router, by search key, 0 waiting, claim p99 –, healthy',
      'server-0, 20.0/s · 2 in flight, 40 %, healthy',
      'server-1, 20.0/s · 2 in flight, 40 %, healthy',
      'Coalescing of server-0, 75 %, calls saved, 20.0/s asked, 5.0/s loads, healthy',
      'Coalescing of server-1, 75 %, calls saved, 20.0/s asked, 5.0/s loads, healthy',
      'tasks of server-0, 15.0/s · 1 queued, healthy',
      'server-0/task-0, 2, healthy',
      'tasks of server-1, 15.0/s · 1 queued, healthy',
      'server-1/task-0, 2, healthy',
      ...[
        ['RE', 'Renfe'],
        ['OU', 'Ouigo'],
        ['AV', 'Avlo'],
      ].map(([mark, name]) => `${mark}, ${name}, 10.0/s · –, healthy`),
    ]);
  });
});
