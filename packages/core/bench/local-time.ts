import { deepStrictEqual } from 'node:assert/strict';
import { type Contender, type Measured, measureRounds } from '@ticketing/bench-kit';
import { createLocalClock, type TimeAt } from '@ticketing/core';
import { DateTime } from 'luxon';
import { Temporal as Polyfill } from 'temporal-polyfill/implementation';
import { createRandom } from './timetable.ts';

const ZONES = ['Europe/Madrid', 'Europe/London', 'America/New_York'];
const TIMES = 2000;

interface LocalTime {
  readonly local: string;
  readonly zone: string;
}

/** How one library converts. */
interface Converter {
  readonly name: string;
  epoch(local: string, zone: string): number;
  timeAt(local: string, zone: string): TimeAt;
}

/** Random minutes of 2027 except minutes that a clock change leaves out or repeats: luxon reads these differently. */
function randomTimes(): LocalTime[] {
  const random = createRandom(1);
  const clock = createLocalClock();
  const times: LocalTime[] = [];
  while (times.length < TIMES) {
    const at = Date.UTC(2027, 0, 1) + Math.floor(random() * 525_600) * 60_000;
    const local = new Date(at).toISOString().slice(0, 16);
    const zone = ZONES[times.length % ZONES.length] as string;
    const zoned = Polyfill.PlainDateTime.from(local);
    const [earlier, later] = (['earlier', 'later'] as const).map(
      (disambiguation) => zoned.toZonedDateTime(zone, { disambiguation }).epochMilliseconds,
    );
    if (earlier === later && clock.epoch(local, zone) === earlier) times.push({ local, zone });
  }
  return times;
}

function converters(): Converter[] {
  const clock = createLocalClock();
  return [
    { name: '`createLocalClock()`', epoch: clock.epoch, timeAt: clock.fromLocal },
    temporal('temporal-polyfill', Polyfill),
    ...nativeTemporal(),
    {
      name: 'luxon',
      epoch: (local, zone) => DateTime.fromISO(local, { zone }).toMillis(),
      timeAt(local, zone) {
        const time = DateTime.fromISO(local, { zone });
        return {
          ms: time.toMillis(),
          iso: `${time.toISO({ suppressMilliseconds: true })}[${zone}]`,
        };
      },
    },
  ];
}

function temporal(name: string, library: typeof Polyfill): Converter {
  const read = (local: string, zone: string) =>
    library.PlainDateTime.from(local).toZonedDateTime(zone);
  return {
    name,
    epoch: (local, zone) => read(local, zone).epochMilliseconds,
    timeAt(local, zone) {
      const time = read(local, zone);
      return { ms: time.epochMilliseconds, iso: time.toString({ smallestUnit: 'second' }) };
    },
  };
}

/** The runtime's own, where it has one. */
function nativeTemporal(): Converter[] {
  const native = (globalThis as { Temporal?: typeof Polyfill }).Temporal;
  return native ? [temporal('Temporal of Node', native)] : [];
}

/** One table of {@link benchLocalTime}. */
export interface LocalTimeCase {
  readonly title: string;
  readonly measured: readonly Measured[];
}

/** Measures the conversion of 2,000 local texts in three zones; medians are of one conversion. */
export async function benchLocalTime(rounds: number): Promise<LocalTimeCase[]> {
  const times = randomTimes();
  const all = converters();
  const expected = times.map(({ local, zone }) => (all[1] as Converter).timeAt(local, zone));
  for (const { epoch, timeAt } of all) {
    deepStrictEqual(
      times.map(({ local, zone }) => timeAt(local, zone)),
      expected,
    );
    deepStrictEqual(
      times.map(({ local, zone }) => epoch(local, zone)),
      expected.map(({ ms }) => ms),
    );
  }
  const measure = async (
    title: string,
    convert: (by: Converter) => Converter['epoch' | 'timeAt'],
  ) => {
    const contenders = all.map((converter): Contender => {
      const work = convert(converter);
      return {
        name: converter.name,
        work() {
          for (const { local, zone } of times) work(local, zone);
        },
      };
    });
    const measured = await measureRounds(contenders, { rounds, repeats: 1 });
    return {
      title,
      measured: measured.map((each) => ({ ...each, medianUs: each.medianUs / TIMES })),
    };
  };
  return [
    await measure('local text to epoch', (by) => by.epoch),
    await measure('local text to `TimeAt`', (by) => by.timeAt),
  ];
}
