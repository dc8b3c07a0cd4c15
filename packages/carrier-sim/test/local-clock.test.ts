import { expect, test } from 'vitest';
import { addDays, isCalendarDate, localDay, localTimeAt } from '../src/timetable/local-clock.ts';

test('localTimeAt() reads the clocks of each zone', () => {
  const ms = Date.parse('2026-12-01T05:15:00Z');
  expect(localTimeAt(ms, 'Europe/Madrid')).toEqual({
    date: '2026-12-01',
    time: '06:15',
    timestamp: '2026-12-01T06:15:00+01:00',
  });
  expect(localTimeAt(ms, 'Europe/Lisbon').timestamp).toBe('2026-12-01T05:15:00+00:00');
});

test('localDay() and localTimeAt() are inverse in every minute of both days that change the clocks', () => {
  const found = { '2026-03-29': 1380, '2026-10-25': 1440, '2026-12-01': 1440 };
  for (const [date, expected] of Object.entries(found)) {
    const day = localDay(date, 'Europe/Madrid');
    let minutes = 0;
    for (let minute = 0; minute < 1440; minute++) {
      const ms = day.msAt(minute);
      if (ms === undefined) continue;
      minutes++;
      const time = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
      expect(localTimeAt(ms, 'Europe/Madrid')).toMatchObject({ date, time });
    }
    expect(minutes).toBe(expected);
  }
});

test('localDay() takes the earlier of two equal times', () => {
  const ms = localDay('2026-10-25', 'Europe/Madrid').msAt(150);
  expect(ms).toBe(Date.parse('2026-10-25T00:30:00Z'));
});

test('addDays() and isCalendarDate() know the calendar', () => {
  expect(addDays('2028-02-28', 1)).toBe('2028-02-29');
  expect(addDays('2026-01-01', -1)).toBe('2025-12-31');
  expect(isCalendarDate('2028-02-29')).toBe(true);
  for (const value of ['2026-02-29', '2026-13-01', '2026-1-1', 20261201, undefined]) {
    expect(isCalendarDate(value)).toBe(false);
  }
});
