import { type CarrierSimId, createTimetable } from '@ticketing/carrier-sim';
import { addDays, createLocalClock, type Station, type StationGroup } from '@ticketing/core';
import fc from 'fast-check';
import { cities, stations } from '../src/index.ts';

const clock = createLocalClock();
/** The simulator sells tickets for as many days. */
export const DAYS_ON_SALE = 180;
/** Of a timetable no more journeys of a pair arrive in one minute. */
const TIES = 4;

type Id = CarrierSimId;

/** A search, and how those who answer it are set. */
export interface PageCase {
  readonly wires: readonly Id[];
  readonly origin: Station | StationGroup;
  readonly destination: Station | StationGroup;
  readonly todayMs: number;
  readonly date: string;
  readonly time: string | undefined;
  readonly arriveBy: boolean;
  readonly maxTransfers: number | undefined;
  /** Journeys that one request asks for, by carrier with pages. */
  readonly results: Readonly<Record<'osdm' | 'hafas' | 'ojp' | 'navitia', number>>;
  readonly maxPages: number;
  readonly mode: 'one-call' | 'two-calls';
  /** The most journeys that a server gives in one page. */
  readonly serverSize: number | null;
  /** How many trains run in a day; `null`: those of the timetable. */
  readonly journeys: number | null;
  /** Which calls to carriers with pages fail, counted from the first page beside the search. */
  readonly failures: readonly number[];
}

/** Days of searches: when the simulator lives, and how many days ahead of it is asked. */
const days = fc.oneof(
  // Clocks change on 28 March and 31 October 2027.
  fc.constantFrom<[today: string, date: string]>(
    ['2027-03-01', '2027-03-28'],
    ['2027-03-01', '2027-03-27'],
    ['2027-03-28', '2027-03-28'],
    ['2027-03-28', '2027-03-29'],
    ['2027-10-01', '2027-10-31'],
    ['2027-10-01', '2027-10-30'],
    ['2027-10-31', '2027-10-31'],
    ['2026-11-20', '2026-11-20'],
    ['2026-11-20', addDays('2026-11-20', DAYS_ON_SALE)],
  ),
  fc
    .tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: DAYS_ON_SALE }))
    .map(([from, ahead]): [string, string] => {
      const today = addDays('2026-11-20', from);
      return [today, addDays(today, ahead)];
    }),
);
const minuteOfDay = fc.oneof(
  fc.constantFrom(0, 1, 119, 120, 150, 180, 720, 1438, 1439),
  fc.integer({ min: 0, max: 1439 }),
);
/** When is asked, and for when. */
interface When {
  readonly days: readonly [today: string, date: string];
  readonly minute: number | undefined;
  readonly arriveBy: boolean;
}

const today = fc.integer({ min: 0, max: 400 }).map((from) => addDays('2026-11-20', from));
const when: fc.Arbitrary<When> = fc.oneof(
  {
    arbitrary: fc.record({
      days,
      minute: fc.option(minuteOfDay, { nil: undefined }),
      arriveBy: fc.boolean(),
    }),
    weight: 6,
  },
  // After the last train that is on sale.
  fc.record({
    days: today.map((from): When['days'] => [from, addDays(from, DAYS_ON_SALE)]),
    minute: fc.integer({ min: 720, max: 1439 }),
    arriveBy: fc.constant(false),
  }),
  // Before the first train that is on sale arrives.
  fc.record({
    days: today.map((from): When['days'] => [from, from]),
    minute: fc.integer({ min: 0, max: 720 }),
    arriveBy: fc.constant(true),
  }),
);
const size = fc.integer({ min: 1, max: 8 });

const timetable = createTimetable({ seed: 1 });
const sellers = new Map<string, ReadonlySet<string>>();

/** Returns who runs trains between two stations. */
function sellersOf(...ends: readonly [Station, Station]): ReadonlySet<string> {
  const [origin, destination] = ends.map(({ codes }) => codes['uic'] as string) as [string, string];
  const key = `${origin} ${destination}`;
  const known = sellers.get(key);
  if (known !== undefined) return known;
  const trains = timetable.trains({ origin, destination, date: '2026-12-01' });
  const found = new Set(trains.flatMap((train) => train.sellers));
  sellers.set(key, found);
  return found;
}

const inSpain = stations.filter(({ codes }) => codes['renfe']);
const inEurope = stations.filter(
  ({ codes, zone }) => codes['ibnr'] || (zone !== 'Europe/Madrid' && !codes['renfe']),
);

/** Returns searches of some of these carriers, at least one of which runs there. */
export function anyCase(only: readonly Id[]): fc.Arbitrary<PageCase> {
  const pairIn = (list: readonly Station[], others = list) =>
    fc
      .tuple(fc.constantFrom(...list), fc.constantFrom(...others), fc.boolean())
      .map(([a, b, back]): [Station, Station] => (back ? [b, a] : [a, b]))
      .filter(([a, b]) => a !== b && sellersOf(a, b).size > 0);
  const [madrid = [], paris = []] = cities.map(({ members }) => members);
  const pair = fc.oneof(
    { arbitrary: pairIn(inSpain), weight: 2 },
    { arbitrary: pairIn(inEurope), weight: 5 },
    pairIn(madrid, inSpain),
    { arbitrary: pairIn(paris, inEurope), weight: 2 },
  );
  const cityOf = (station: Station): Station | StationGroup =>
    cities.find(({ members }) => members.includes(station)) ?? station;
  return (
    fc
      .record({
        ends: pair,
        asCities: fc.boolean(),
        // In any order: the answers must not depend on it.
        wires: fc.shuffledSubarray([...only], { minLength: 1 }),
        when,
        minuteOfToday: minuteOfDay,
        maxTransfers: fc.option(fc.constantFrom(0, 1), { nil: undefined, freq: 5 }),
        results: fc.record({ osdm: size, hafas: size, ojp: size, navitia: size }),
        maxPages: fc.integer({ min: 1, max: 4 }),
        mode: fc.constantFrom('one-call' as const, 'two-calls' as const),
        serverSize: fc.option(fc.integer({ min: 1, max: 6 })),
        failures: fc.oneof(
          { arbitrary: fc.constant([]), weight: 3 },
          fc.uniqueArray(fc.nat(30), { maxLength: 6 }),
        ),
        journeys: fc.oneof(
          { arbitrary: fc.constant(null), weight: 4 },
          fc.constantFrom(0, 1, 3, 24),
        ),
      })
      .filter(({ ends, wires }) => wires.some((id) => sellersOf(...ends).has(id)))
      .map(
        ({
          ends: [from, to],
          asCities,
          when: { minute, ...asked },
          serverSize,
          ...rest
        }): PageCase => {
          const [origin, destination] = asCities ? [cityOf(from), cityOf(to)] : [from, to];
          const time = minute === undefined ? undefined : timeOf(minute);
          const [first, date] = asked.days;
          const arriveBy = asked.arriveBy && time !== undefined;
          const todayMs =
            clock.epoch(`${first}T${timeOf(rest.minuteOfToday)}`, origin.zone) + 30_000;
          return {
            ...rest,
            origin,
            destination,
            todayMs,
            date,
            time,
            arriveBy,
            // Without cursors a server's page needs room for all journeys that arrive in one minute.
            serverSize: arriveBy ? roomFor(serverSize, rest.journeys) : serverSize,
          };
        },
      )
      // Yesterday at the origin is not for sale.
      .filter(
        ({ origin, destination, date, time, todayMs, arriveBy }) =>
          !arriveBy ||
          clock.dateOf(clock.epoch(`${date}T${time}`, destination.zone), origin.zone) >=
            clock.dateOf(todayMs, origin.zone),
      )
  );
}

/** Of the trains that a plan adds any number may arrive in one minute, of those of the timetable few. */
function roomFor(serverSize: number | null, journeys: number | null): number | null {
  if (serverSize === null || (journeys ?? 0) > TIES) return null;
  return Math.max(serverSize, TIES);
}

function timeOf(minute: number): string {
  return [Math.floor(minute / 60), minute % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
