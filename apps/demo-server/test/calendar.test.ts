import type { CalendarDay, CalendarEvent, Journey, JourneyPair } from '@ticketing/core';
import { lowestTotals } from '@ticketing/core';
import { expect, test } from 'vitest';
import {
  CalendarAnswer,
  CalendarStreamEvent,
  RoundTripAnswer,
} from '../src/http/api/calendar-schemas.ts';
import { MADRID_BARCELONA, serveDemo, sharedServer, statsOf } from './demo.ts';
import { schemaErrors } from './schema-errors.ts';

const shared = sharedServer('--latency', '0', '--carriers', 'renfe,ouigo,osdm');
const PAIR = 'origin=Atocha&destination=Barcelona';

test('GET /calendar has the days of a month from today on, by the calendars of carriers alone', async () => {
  const { get } = shared();
  const { status, body, headers } = await get(`/calendar?${PAIR}&month=2026-11`);
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(schemaErrors(CalendarAnswer, body)).toEqual([]);
  const days: CalendarDay[] = body.days;
  expect(days.map(({ date }) => date)).toEqual(
    Array.from({ length: 11 }, (_, day) => `2026-11-${20 + day}`),
  );
  expect(body.query).toMatchObject({ month: '2026-11', passengers: [{}] });
  const priced = days.filter(({ state }) => state === 'priced');
  expect(priced.length).toBeGreaterThan(8);
  const [first] = priced.slice(-1);
  const { journeys } = (await get(`${MADRID_BARCELONA}&date=${first?.date}`)).body;
  const least = Math.min(
    ...(journeys as Journey[]).flatMap((one) => lowestTotals(one).map(({ amount }) => amount)),
  );
  expect(first?.lowest?.amount).toBe(least);
  expect(first).toMatchObject({ basis: 'calendar', carrier: expect.stringMatching(/renfe|ouigo/) });
});

test('the same as a stream adds up to the document', async () => {
  const { get } = shared();
  const path = `/calendar?${PAIR}&month=2026-12`;
  const { body, headers } = await get(path, { headers: { accept: 'application/x-ndjson' } });
  expect(headers.get('content-type')).toBe('application/x-ndjson');
  const events: CalendarEvent[] = (body as string)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const days = new Map<string, CalendarDay>();
  for (const event of events) {
    expect(schemaErrors(CalendarStreamEvent, event)).toEqual([]);
    if ('days' in event) for (const day of event.days) days.set(day.date, day);
  }
  const times = ({ fetchedAt: _, ...day }: CalendarDay) => day;
  const document: CalendarDay[] = (await get(path)).body.days;
  expect([...days.values()].map(times)).toEqual(document.map(times));
  expect(events.map(({ type }) => type)).toEqual([
    'calendar-started',
    ...events.slice(1, -1).map(() => expect.stringMatching(/^(calendar-days|carrier-status)$/)),
    'calendar-done',
  ]);
  const source = await get(path, {
    headers: { accept: 'text/event-stream', 'last-event-id': 'calendar-done' },
  });
  expect(source.status).toBe(204);
});

test('days that no calendar has are known by a search of the last hour, and of no other carrier', async () => {
  const { get } = await serveDemo('--latency', '0', '--carriers', 'avlo', '--keep', '60:600');
  const asked = `/calendar?${PAIR}&month=2026-12`;
  const before = (await get(asked)).body.days as CalendarDay[];
  expect(new Set(before.map(({ state }) => state))).toEqual(new Set(['unknown']));
  await get(`${MADRID_BARCELONA}&date=2026-12-05`);
  const after = (await get(asked)).body.days as CalendarDay[];
  expect(after.filter(({ state }) => state !== 'unknown').map(({ date }) => date)).toEqual([
    '2026-12-05',
  ]);
  const [{ kept }] = await statsOf({ get });
  expect(kept.asked).toBe(1);
});

test('--calendar-days searches the days that nothing else knows', async () => {
  const { get } = await serveDemo(
    '--latency',
    '0',
    '--carriers',
    'avlo',
    '--calendar-days',
    'avlo',
  );
  const { days, complete } = (await get(`/calendar?${PAIR}&month=2026-11`)).body;
  expect(complete).toBe(true);
  expect((days as CalendarDay[]).every(({ state }) => state !== 'unknown')).toBe(true);
});

test.each([
  ['month=2026-13', 'month'],
  ['month=2025-01', 'month'],
  ['month=soon', 'month'],
  ['origin=Nowhere', 'origin'],
  ['carriers=nobody', 'carriers'],
  ['passengers=10', 'passengers'],
  ['day=1', 'day'],
])('GET /calendar with %s is refused', async (wrong, parameter) => {
  const query = new URLSearchParams(`${PAIR}&month=2026-12`);
  for (const [name, value] of new URLSearchParams(wrong)) query.set(name, value);
  const { status, body } = await shared().get(`/calendar?${query}`);
  expect([status, body.parameter]).toEqual([400, parameter]);
  const stream = await shared().get(`/calendar?${query}`, {
    headers: { accept: 'application/x-ndjson' },
  });
  expect(stream.status).toBe(400);
});

test('GET /search with returnDate has both ways, and pairs of a seller that prices both', async () => {
  const { get } = shared();
  const path = '/search?origin=uic:8503000&destination=uic:8301700&date=2026-12-01';
  const { status, body } = await get(`${path}&returnDate=2026-12-03&returnTime=12:00`);
  expect(status).toBe(200);
  expect(schemaErrors(RoundTripAnswer, body)).toEqual([]);
  const { outbound, inbound, pairs, pairing } = body;
  expect(inbound.query).toMatchObject({
    origin: { id: 'uic:8301700' },
    date: '2026-12-03',
    time: '12:00',
  });
  const ids = [outbound, inbound].map(
    ({ journeys }) => new Set((journeys as Journey[]).map(({ id }) => id)),
  );
  expect(pairs.length).toBeGreaterThan(5);
  for (const pair of pairs as JourneyPair[]) {
    expect([ids[0]?.has(pair.outbound), ids[1]?.has(pair.inbound)]).toEqual([true, true]);
  }
  expect(pairing).toMatchObject([{ carrier: 'osdm', state: 'ok', found: expect.any(Number) }]);
  const one = (await get(path)).body;
  expect(outbound.journeys.map(({ id }: Journey) => id)).toEqual(
    one.journeys.map(({ id }: Journey) => id),
  );
  const direct = (await get(`${path}&returnDate=2026-12-03&departAfter=12:00`)).body;
  const seen = (direct.outbound.journeys as Journey[]).map(({ id }) => id);
  expect(seen.length).toBeLessThan(outbound.journeys.length);
  expect((direct.pairs as JourneyPair[]).every((pair) => seen.includes(pair.outbound))).toBe(true);
});

test.each([
  ['returnDate=2026-11-30', 'returnDate'],
  ['returnTime=12:00', 'returnDate'],
  ['returnDate=2026-12-03&returnTime=noon', 'returnTime'],
  ['returnDate=2026-12-03&split=1', 'split'],
])('a way back that is wrong is refused: %s', async (wrong, parameter) => {
  const { status, body } = await shared().get(`${MADRID_BARCELONA}&date=2026-12-01&${wrong}`);
  expect([status, body.parameter]).toEqual([400, parameter]);
});

test('both ways are one document, and no stream', async () => {
  const { status, body } = await shared().get(`${MADRID_BARCELONA}&returnDate=2026-12-24`, {
    headers: { accept: 'text/event-stream' },
  });
  expect([status, body.parameter]).toEqual([400, 'returnDate']);
});
