import { expect, test } from 'vitest';
import { createTimetable } from '../../src/index.ts';
import { date, madridBarcelona } from '../started-sim.ts';

test('a timetable keeps a listing while it has room, and draws the same one again', () => {
  const timetable = createTimetable({ seed: 1 });
  const query = { ...madridBarcelona, date, carrier: 'renfe' } as const;
  const first = timetable.trains(query);
  expect(timetable.trains(query)).toBe(first);
  for (let journeys = 900; journeys < 960; journeys++) timetable.trains({ ...query, journeys });
  const again = timetable.trains(query);
  expect(again).not.toBe(first);
  expect(again).toEqual(first);
});
