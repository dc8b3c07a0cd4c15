import { expect, test, vi } from 'vitest';
import { createBoundedMap, keptByList } from '../src/bounded-map.ts';
import { createTimetable } from '../src/index.ts';
import { getAvlo } from './call-wires.ts';
import { date, madridBarcelona, startedSim } from './started-sim.ts';

test('createBoundedMap() drops the oldest entries until the others fit', () => {
  const map = createBoundedMap<string>(10, (text) => text.length);
  map.add('a', '1234');
  map.add('b', '123456');
  expect([map.get('a'), map.get('b')]).toEqual(['1234', '123456']);
  map.add('a', '12345');
  expect([map.get('a'), map.get('b')]).toEqual(['12345', undefined]);
  map.add('c', '12345678901');
  expect([map.get('a'), map.get('c')]).toEqual([undefined, undefined]);
  map.add('d', '1234567890');
  expect(map.get('d')).toBe('1234567890');
});

test('keptByList() works once for each list', () => {
  const make = vi.fn((list: readonly number[]) => list.length);
  const kept = keptByList(make);
  const list = [1, 2];
  expect([kept(list), kept(list), kept([1, 2])]).toEqual([2, 2, 2]);
  expect(make).toHaveBeenCalledTimes(2);
});

test('a timetable keeps a listing', () => {
  const timetable = createTimetable({ seed: 1 });
  const query = { ...madridBarcelona, date, carrier: 'renfe' } as const;
  expect(timetable.trains(query)).toBe(timetable.trains(query));
});

test('avlo writes its document again when the plan has other trains, and the old one when they are back', async () => {
  const sim = await startedSim();
  const body = async () => (await getAvlo(sim.url, date)).text();
  const all = await body();
  sim.setPlan('avlo', { journeys: 0 });
  expect(await body()).toBe('[]');
  sim.setPlan('avlo', { journeys: null });
  expect(await body()).toBe(all);
});
