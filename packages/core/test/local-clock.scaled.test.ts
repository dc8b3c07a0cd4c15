import { addDays, createLocalClock, isLocalDate, RailError } from '@ticketing/core';
import { scaled } from '@ticketing/test-kit';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill/implementation';
import { expect, test } from 'vitest';
import { runs } from './scale.ts';

const zones = [
  'Europe/Madrid',
  'Europe/Lisbon',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Africa/Casablanca',
  'America/Sao_Paulo',
];
const moreZones = [
  ...zones,
  'America/St_Johns',
  'America/Goose_Bay',
  'America/Caracas',
  'Antarctica/Troll',
  'Asia/Gaza',
  'Asia/Pyongyang',
  'Asia/Tehran',
  'Atlantic/Azores',
  'Europe/Dublin',
  'Europe/Istanbul',
  'Pacific/Apia',
  'Pacific/Chatham',
  'Pacific/Kwajalein',
  'UTC',
];
const HALF_HOUR_MS = 1_800_000;

function byTemporal(local: string, zone: string): { ms: number; iso: string } {
  const time = Temporal.PlainDateTime.from(local).toZonedDateTime(zone, {
    disambiguation: 'compatible',
  });
  return { ms: time.epochMilliseconds, iso: time.toString({ smallestUnit: 'second' }) };
}

// One test a zone, each of the 17,520 half hours of a year: 122,640 conversions in all. Outside of the full tests every
// 53rd, which still meets each time of day and each week.
const STEP = scaled({ fast: 53, full: 1 });

test.each(zones)(
  'fromLocal() reads the half hours of 2027 in %s as Temporal does',
  (zone) => {
    const clock = createLocalClock();
    const differences: string[] = [];
    let conversions = 0;
    for (let at = Date.UTC(2027, 0, 1); at < Date.UTC(2028, 0, 1); at += STEP * HALF_HOUR_MS) {
      const local = new Date(at).toISOString().slice(0, 16);
      const { ms, iso } = clock.fromLocal(local, zone);
      const expected = byTemporal(local, zone);
      conversions += 1;
      if (ms !== expected.ms || iso !== expected.iso) differences.push(`${local}: ${iso}`);
    }
    expect(conversions).toBe(Math.ceil(17_520 / STEP));
    expect(differences).toEqual([]);
  },
  30_000,
);

test('fromLocal() reads any second of 1980 to 2037 in any zone as Temporal does', () => {
  const clock = createLocalClock();
  const seconds = fc.integer({
    min: Date.UTC(1980, 0, 1) / 1000,
    max: Date.UTC(2038, 0, 1) / 1000 - 1,
  });
  fc.assert(
    fc.property(seconds, fc.constantFrom(...moreZones), (second, zone) => {
      const local = new Date(second * 1000).toISOString().slice(0, 19);
      expect(clock.fromLocal(local, zone)).toEqual(byTemporal(local, zone));
    }),
    { numRuns: runs(5000) },
  );
});

test('fromLocal() agrees with Temporal around each clock change of fifty years', () => {
  const clock = createLocalClock();
  const differences: string[] = [];
  // Each of these zones is one of a kind; the full tests take all.
  const kinds = ['Europe/Madrid', 'Asia/Gaza', 'Australia/Lord_Howe', 'Pacific/Apia'];
  for (const zone of scaled({ fast: kinds, full: moreZones })) {
    let change = Temporal.Instant.from('1980-01-01T00:00Z').toZonedDateTimeISO(zone);
    for (;;) {
      const next = change.getTimeZoneTransition('next');
      if (next === null || next.year > 2030) break;
      change = next;
      for (let minutes = -180; minutes <= 180; minutes += scaled({ fast: 90, full: 13 })) {
        const local = new Date(Date.UTC(next.year, next.month - 1, next.day, next.hour, minutes))
          .toISOString()
          .slice(0, 16);
        const { ms, iso } = clock.fromLocal(local, zone);
        const expected = byTemporal(local, zone);
        if (ms !== expected.ms || iso !== expected.iso) differences.push(`${zone} ${local} ${iso}`);
      }
    }
  }
  expect(differences).toEqual([]);
});

test('fromEpoch() writes an instant as Temporal does', () => {
  const clock = createLocalClock();
  const instants = fc.integer({ min: Date.UTC(1980, 0, 1), max: Date.UTC(2037, 11, 31) });
  fc.assert(
    fc.property(instants, fc.constantFrom(...moreZones), (ms, zone) => {
      const time = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
      const iso = time.toString({ smallestUnit: 'second' });
      expect(clock.fromEpoch(ms, zone)).toEqual({ ms, iso });
      expect(clock.dateOf(ms, zone)).toBe(time.toPlainDate().toString());
    }),
    { numRuns: runs(3000) },
  );
});

test('epoch() moves forward in a gap and takes the earlier of two', () => {
  const clock = createLocalClock();
  const iso = (local: string) => clock.fromLocal(local, 'Europe/Madrid').iso;
  expect(iso('2027-03-28T02:30')).toBe('2027-03-28T03:30:00+02:00[Europe/Madrid]');
  expect(iso('2027-10-31T02:30')).toBe('2027-10-31T02:30:00+02:00[Europe/Madrid]');
  expect(iso('2199-12-31T23:59:59')).toBe('2199-12-31T23:59:59+01:00[Europe/Madrid]');
  expect(iso('1973-01-01T00:00:00')).toBe('1973-01-01T00:00:00+01:00[Europe/Madrid]');
  expect(iso('2027-10-31T03:00:59')).toBe('2027-10-31T03:00:59+01:00[Europe/Madrid]');
});

test('epoch() refuses text that is no local time', () => {
  const clock = createLocalClock();
  const wrong = [
    '',
    '2026-12-01',
    '2026-12-01 06:15',
    '2026-12-01T6:15',
    '2026-12-01T06:15Z',
    '2026-12-01T24:00',
    '2026-12-01T06:60',
    '2026-12-01T06:15:60',
    '2026-12-01T06:15x00',
    '2026-13-01T06:15',
    '2026-00-01T06:15',
    '2026-12-00T06:15',
    '2026-02-29T06:15',
    '2026-04-31T06:15',
    '1972-12-31T23:59',
    '2200-01-01T00:00',
    '2026-12-01T0 :15',
    '２026-12-01T06:15',
  ];
  for (const text of wrong) {
    const error = expect.objectContaining({
      code: 'ERR_LOCAL_TIME',
      message: `Cannot read local time: \`text\` must be YYYY-MM-DDTHH:MM of the years 1973 to 2199, got ${text || "''"}`,
    });
    expect(() => clock.epoch(text, 'Europe/Madrid')).toThrow(error);
  }
  for (const value of [undefined, null, 5, [], {}]) {
    expect(() => clock.epoch(value as never, 'Europe/Madrid')).toThrow(RailError);
  }
});

test('fromEpoch() refuses numbers that are no instant', () => {
  const clock = createLocalClock();
  for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, 8.64e15, 0, undefined as never]) {
    expect(() => clock.fromEpoch(ms, 'Europe/Madrid')).toThrow(
      `Cannot read instant: \`ms\` must be epoch milliseconds of the years 1973 to 2199, got ${ms}`,
    );
    expect(() => clock.dateOf(ms, 'Europe/Madrid')).toThrow(RailError);
  }
});

test('epoch() refuses a name that is no zone', () => {
  const clock = createLocalClock();
  for (const zone of ['Europe/Madird', '', undefined, null]) {
    expect(() => clock.epoch('2026-12-01T06:15', zone as never)).toThrow(
      new RangeError(
        `Cannot use time zone: \`zone\` must be an IANA name, got ${zone === '' ? "''" : zone}`,
      ),
    );
  }
});

test('isLocalDate() and addDays() follow the calendar', () => {
  expect(['2028-02-29', '2027-02-29', '2100-02-29', '2000-02-29'].map(isLocalDate)).toEqual([
    true,
    false,
    false,
    true,
  ]);
  const days = ['1973-01-01', '2199-12-31', '2026-01-31', '2026-02-28', '2026-12-01'];
  for (const day of days) expect(isLocalDate(day)).toBe(true);
  const none = ['1972-12-31', '2200-01-01', '2026-01-32', '2026-02-29', '2026-04-31', '2026-13-01'];
  for (const day of none) expect(isLocalDate(day)).toBe(false);
  const lengths = Array.from({ length: 12 }, (_, month) => {
    const start = `2027-${String(month + 1).padStart(2, '0')}`;
    return [28, 29, 30, 31].filter((day) => isLocalDate(`${start}-${day}`)).at(-1);
  });
  expect(lengths).toEqual([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);
  expect(isLocalDate('2026-12-01T00:00')).toBe(false);
  expect(addDays('2028-02-28', 2)).toBe('2028-03-01');
  expect(addDays('2027-01-01', -1)).toBe('2026-12-31');
  expect(() => addDays('2027-02-29', 1)).toThrow(RailError);
  const counts = fc.integer({ min: -20_000, max: 20_000 });
  fc.assert(
    fc.property(counts, (count) => {
      const expected = Temporal.PlainDate.from('2030-06-15').add({ days: count }).toString();
      expect(addDays('2030-06-15', count)).toBe(expected);
    }),
  );
});
