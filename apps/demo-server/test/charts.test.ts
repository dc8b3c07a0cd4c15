import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chartFigure, pointedAt } from '../src/pages/charts/chart-figure.ts';
import { type Chart, charts } from '../src/pages/charts/charts.ts';
import { LOOKS, lookOf, MORE_LOOK } from '../src/pages/charts/line-look.ts';
import { niceTop } from '../src/pages/charts/nice-top.ts';
import { spread } from '../src/pages/charts/spread.ts';
import { eventList } from '../src/pages/operator/event-list.ts';
import { someEvent, someHistory, someServer, someView } from './bare-view.ts';

const END = Date.UTC(2026, 10, 27, 13, 3);
const WIDTH = 420;
const named = (title: string): Chart => {
  const chart = charts.find((one) => one.title === title);
  if (chart === undefined) throw new Error(`no chart ${title}`);
  return chart;
};
const all = (markup: unknown, pattern: RegExp) =>
  [...String(markup).matchAll(pattern)].map(([, found = '']) => found);

test('spread() keeps the order, the gap and the bounds, and moves nothing that has room', () => {
  const place = fc.double({ min: -20, max: 220, noNaN: true });
  fc.assert(
    fc.property(fc.array(place, { maxLength: 12 }), (wanted) => {
      const places = spread(wanted, { gap: 12, from: 0, to: 200 });
      const order = wanted.map((_, at) => at).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
      for (const [rank, at] of order.entries()) {
        const [own = 0, before] = [places[at], places[order[rank - 1] ?? -1]];
        expect(own).toBeGreaterThanOrEqual(-1e-9);
        expect(own).toBeLessThanOrEqual(200 + 1e-9);
        if (before !== undefined) expect(own - before).toBeGreaterThanOrEqual(12 - 1e-9);
      }
    }),
  );
  expect(spread([100, 10, 50], { gap: 12, from: 0, to: 200 })).toEqual([100, 10, 50]);
  expect(spread([100, 100], { gap: 12, from: 0, to: 200 })).toEqual([94, 106]);
  // More than fit share the room.
  expect(spread([0, 0, 0], { gap: 12, from: 0, to: 10 })).toEqual([0, 5, 10]);
});

test('niceTop() holds the highest value, is less than thrice as high, and easy to halve', () => {
  expect([0, 48.2, 9.9, 2000, 1e6].map((most) => niceTop(most, 10))).toEqual([
    10, 60, 20, 3000, 2e6,
  ]);
  fc.assert(
    fc.property(fc.double({ min: 0.001, max: 1e9, noNaN: true }), (most) => {
      const top = niceTop(most, 0.001);
      expect(top).toBeGreaterThanOrEqual(most);
      expect(top).toBeLessThan(3 * most + 0.01);
    }),
  );
});

test('no two lines look the same, neighbours differ by dashes too, and none is red', () => {
  const style = ['look/tokens.css', 'browser/operator/charts.css']
    .map((path) => readFileSync(new URL(`../src/pages/${path}`, import.meta.url), 'utf8'))
    .join('\n');
  const looks = Array.from({ length: LOOKS }, (_, place) => lookOf(place));
  expect(new Set([...looks, MORE_LOOK].map(({ ink, dash }) => `${ink} ${dash}`)).size).toBe(
    LOOKS + 1,
  );
  for (const [at, { ink, dash }] of looks.entries()) {
    expect(style).toContain(`--c: var(--${ink})`);
    if (dash !== 'd1') expect(style).toContain(`.${dash} {\n  stroke-dasharray`);
    if (at > 0) expect(dash).not.toBe(looks[at - 1]?.dash);
    expect(ink).not.toBe('cbad');
  }
});

test('a chart has every sample of two minutes, its last values as text, and breaks where there is none', () => {
  const history = someHistory(END, {
    answered: (second) => (second >= 40 && second < 50 ? null : 48.2),
    errors: () => 0,
  });
  const figure = chartFigure(named('Requests per second'), {
    view: someView({ at: END }),
    history,
    width: WIDTH,
  });
  expect(all(figure, /<b>([^<]*)<\/b>/g)).toEqual(['48.2', '0']);
  const [answered = '', errors = ''] = all(figure, /<path class="line[^"]*" d="([^"]*)"/g);
  expect(errors.match(/[ML]/g)).toHaveLength(120);
  expect(answered.match(/L/g)).toHaveLength(108);
  expect(answered.match(/M/g)).toHaveLength(2);
  expect(String(figure)).toContain('class="line cbad d3"');
  expect(all(figure, /<text class="tick"[^>]*>([^<]*)</g)).toEqual(['0', '30', '60']);
  expect(
    all(figure, /<text class="time"[^>]*>([^<]*)</g).every((time) =>
      /^\d\d:\d\d(:30)?$/.test(time),
    ),
  ).toBe(true);
});

test('names at the ends of lines that meet are apart', () => {
  const history = someHistory(END, { asked: () => 20, loads: () => 20 });
  const figure = chartFigure(named('Searches per second'), {
    view: someView({ at: END }),
    history,
    width: WIDTH,
  });
  const [one = 0, other = 0] = all(figure, /<text class="label[^>]* y="([^"]+)"/g).map(Number);
  expect(Math.abs(one - other)).toBeGreaterThanOrEqual(12);
  expect(String(figure)).toContain('class="area c1"');
});

test('of many lines the highest have names, and the others are one', () => {
  const ids = ['primary', 'server-0', 'server-1', 'server-2'];
  const heights = [1, 6, 2, 40];
  const lines = Object.fromEntries(ids.map((id, at) => [`loop ${id}`, () => heights[at] ?? 0]));
  const view = someView({ at: END, processes: ids.map((id) => someServer(id, 1)) });
  const legend = (more: object) =>
    all(
      chartFigure(named('Event-loop delay, p99'), {
        view: { ...view, ...more },
        history: someHistory(END, lines),
        width: WIDTH,
      }),
      /<span>([^<]*)<\/span>/g,
    );
  expect(legend({})).toEqual(['server-0', 'server-2', '2 more']);
  expect(legend({ processes: view.processes.slice(1) })).toEqual(ids.slice(1));
  const workers = view.processes.map((one) => ({ ...one, kind: 'task' }));
  expect(legend({ processes: [view.processes[0], ...workers.slice(1)] })).toEqual([
    'primary',
    '3 more',
  ]);
});

test('events have the same numbers on the axes and in the list, faults in red, and do not hide one another', () => {
  const events = [
    someEvent({ no: 1, mark: 1, at: END - 500_000 }),
    someEvent({ no: 2, mark: 2, at: END - 60_000, kind: 'load-started', severity: 'note' }),
    someEvent({ no: 3, at: END - 50_000 }),
    someEvent({ no: 4, mark: 3, at: END - 30_100, detail: 'share 100 %' }),
    someEvent({ no: 5, mark: 4, at: END - 30_000 }),
  ];
  const view = someView({ at: END, events });
  const figure = chartFigure(named('Time to answer'), {
    view,
    history: someHistory(END, {}),
    width: WIDTH,
  });
  expect(all(figure, /<g class="(event[^"]*)"/g)).toEqual(['event', 'event bad', 'event bad']);
  expect(all(figure, /<text x="[^"]*" y="114.5">(\d+)</g)).toEqual(['2', '3', '4']);
  const dots = all(figure, /<circle cx="([^"]+)"/g).map(Number);
  expect((dots[2] ?? 0) - (dots[1] ?? 0)).toBeGreaterThanOrEqual(13 - 0.1);
  const list = eventList(view);
  expect(all(list, /<span class="no">(\d+)</g)).toEqual(['4', '3', '2', '1']);
  expect(all(list, /data-key="(\d+)"/g)).toEqual(['5', '4', '3', '2', '1']);
  expect(String(list)).toContain('share 100 %');
  expect(String(figure)).toContain('deadline 2.0 s');
});

test('a chart can be asked how it was at a time', () => {
  const history = someHistory(END, { answered: (second) => second, errors: () => 0 }, 60);
  const chart = named('Requests per second');
  const pointed = pointedAt({ history, width: WIDTH }, WIDTH - 66);
  expect(pointed).toBe(59);
  expect(pointedAt({ history, width: WIDTH }, 0)).toBe(0);
  expect(pointedAt({ history: { at: [], lines: {} }, width: WIDTH }, 0)).toBeUndefined();
  const figure = chartFigure(chart, {
    view: someView({ at: END }),
    history,
    width: WIDTH,
    pointed: 30,
  });
  expect(all(figure, /<b>([^<]*)<\/b>/g)).toEqual(['30', '0']);
});
