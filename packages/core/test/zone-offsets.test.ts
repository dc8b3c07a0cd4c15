import { afterEach, expect, test } from 'vitest';
import { createZoneCache } from '../src/model/zone-offsets.ts';

const DateTimeFormat = Intl.DateTimeFormat;
const asked = { zones: 0, instants: 0 };

/** Counts how often the runtime's zone data is asked. */
function countQuestions(): void {
  asked.zones = 0;
  asked.instants = 0;
  Intl.DateTimeFormat = function counting(
    ...options: ConstructorParameters<typeof DateTimeFormat>
  ) {
    asked.zones += 1;
    const real = new DateTimeFormat(...options);
    return {
      format(ms: number) {
        asked.instants += 1;
        return real.format(ms);
      },
    };
  } as never;
}

afterEach(() => {
  Intl.DateTimeFormat = DateTimeFormat;
});

/** The 512 ways to write a name of nine letters, which `Intl` takes for 512 zones. */
function spellings(): string[] {
  return Array.from({ length: 1024 }, (_, mask) =>
    [...'Asia/Tokyo']
      .map((letter, bit) => (mask & (1 << bit) ? letter.toUpperCase() : letter.toLowerCase()))
      .join(''),
  ).filter((spelling, index, all) => all.indexOf(spelling) === index);
}

test('createZoneCache() asks once per zone', () => {
  countQuestions();
  const offsetsOf = createZoneCache();
  for (let round = 0; round < 100; round++) {
    expect(offsetsOf('Europe/Madrid').atDay(20_000 + (round % 2))).toBe(7_200_000);
  }
  expect(asked).toEqual({ zones: 1, instants: 2 });
});

test('createZoneCache() forgets all zones when there are more than 512', () => {
  const names = spellings();
  expect(names).toHaveLength(512);
  countQuestions();
  const offsetsOf = createZoneCache();
  for (const name of names) offsetsOf(name);
  for (const name of names) offsetsOf(name);
  expect(asked.zones).toBe(512);
  offsetsOf('Europe/Madrid');
  offsetsOf(names[0] as string);
  expect(asked.zones).toBe(514);
});

test('ZoneOffsets forgets all days when there are more than 4,096', () => {
  countQuestions();
  const offsets = createZoneCache()('Europe/Madrid');
  for (let round = 0; round < 2; round++) {
    for (let day = 10_000; day < 14_096; day++) offsets.atDay(day);
  }
  expect(asked.instants).toBe(4096);
  offsets.atDay(14_096);
  offsets.atDay(10_000);
  expect(asked.instants).toBe(4098);
});

test('ZoneOffsets at() asks for minutes only on days of a clock change', () => {
  countQuestions();
  const offsets = createZoneCache()('Europe/Madrid');
  const change = Date.UTC(2027, 9, 31, 1);
  expect([offsets.at(change - 1), offsets.at(change)]).toEqual([7_200_000, 3_600_000]);
  expect(asked.instants).toBe(4);
  for (let minute = 0; minute < 1440; minute++) offsets.at(Date.UTC(2027, 9, 30, 0, minute));
  expect(asked.instants).toBe(5);
});
