import fc from 'fast-check';
import {
  dayAfter,
  type ModelCall,
  type ModelFeed,
  type ModelRule,
  type ModelService,
  type ModelTrip,
} from './naive-search.ts';
import { type FeedTexts, table } from './zip-feed.ts';

/** Days of clock changes, one in the south by half an hour, and a plain one. */
const DAYS: readonly (readonly [zone: string, date: string])[] = [
  ['Europe/Madrid', '2027-03-28'],
  ['Europe/Madrid', '2026-10-25'],
  ['Europe/London', '2027-03-28'],
  ['America/New_York', '2026-11-01'],
  ['Australia/Lord_Howe', '2027-04-04'],
  ['Europe/Madrid', '2026-12-01'],
];
const STATIONS = 4;

export interface RandomCase {
  readonly feed: ModelFeed;
  readonly date: string;
  readonly zone: string;
}

const call = fc.record({
  stop: fc.nat({ max: 7 }),
  hop: fc.integer({ min: 0, max: 50 }),
  dwell: fc.integer({ min: 0, max: 4 }),
  boards: fc.nat({ max: 9 }),
  alights: fc.nat({ max: 9 }),
});

const trip = fc.record({
  zone: fc.nat({ max: 1 }),
  service: fc.nat({ max: 2 }),
  block: fc.nat({ max: 3 }),
  follows: fc.boolean(),
  start: fc.integer({ min: 0, max: 300 }),
  calls: fc.array(call, { minLength: 2, maxLength: 5 }),
  frequency: fc.option(
    fc.record({
      from: fc.integer({ min: 0, max: 300 }),
      length: fc.integer({ min: 1, max: 240 }),
      headway: fc.integer({ min: 20, max: 120 }),
    }),
    { freq: 5 },
  ),
});

const service = fc.record({
  weekdays: fc.array(
    fc.nat({ max: 3 }).map((one) => one > 0),
    { minLength: 7, maxLength: 7 },
  ),
  first: fc.integer({ min: -40, max: 0 }),
  last: fc.integer({ min: 0, max: 40 }),
  exceptions: fc.array(fc.tuple(fc.integer({ min: -2, max: 2 }), fc.boolean()), { maxLength: 3 }),
});

const rule = fc.record({
  from: fc.nat({ max: 7 }),
  to: fc.nat({ max: 7 }),
  type: fc.constantFrom(0, 1, 2, 2, 3),
  minutes: fc.integer({ min: 1, max: 20 }),
});

/** Makes feeds of four stations with a second platform each at most, and some trips on a few kinds of days. */
export const randomCases: fc.Arbitrary<RandomCase> = fc
  .record({
    day: fc.constantFrom(...DAYS),
    otherZone: fc.constantFrom('Europe/London', 'Europe/Madrid', 'America/New_York'),
    shift: fc.integer({ min: -1, max: 1 }),
    platforms: fc.nat({ max: STATIONS }),
    trips: fc.array(trip, { minLength: 4, maxLength: 12 }),
    begin: fc.constantFrom(0, 12, 21, 25),
    services: fc.array(service, { minLength: 3, maxLength: 3 }),
    rules: fc.array(rule, { maxLength: 4 }),
    stays: fc.array(
      fc.record({ from: fc.nat({ max: 8 }), to: fc.nat({ max: 8 }), isPossible: fc.boolean() }),
      { maxLength: 2 },
    ),
    changeMinutes: fc.integer({ min: 1, max: 8 }),
    standsStill: fc.boolean(),
  })
  .map((made) => {
    const [zone, changeDay] = made.day;
    const date = dayAfter(changeDay, made.shift);
    // The stations come first, then the second platforms of some. Platform 1 is the station itself, for those without a second.
    const stationOf = [
      ...Array.from({ length: STATIONS }, (_, index) => index),
      ...Array.from({ length: made.platforms }, (_, index) => index),
    ];
    const trips: ModelTrip[] = [];
    for (const one of made.trips) {
      const block = one.block > 1 ? undefined : one.block;
      // Some vehicles go on where another trip of their block ended.
      const before =
        one.follows && block !== undefined && trips.findLast((other) => other.block === block);
      const end = before ? before.calls.at(-1) : undefined;
      let time = end?.departure ?? (made.begin * 60 + one.start) * 60;
      const calls = one.calls.map(({ stop, hop, dwell, boards, alights }, at): ModelCall => {
        // Where changes take no time, a ride takes some.
        const arrival = time + 60 * (made.standsStill ? hop % 30 : hop + 1);
        const departure = arrival + dwell * 60;
        time = departure;
        return {
          stop: at === 0 && end ? end.stop : stop % stationOf.length,
          arrival,
          departure,
          boards: boards > 0,
          alights: alights > 0,
        };
      });
      const { frequency } = one;
      trips.push({
        zone: before ? before.zone : one.zone,
        service: before ? before.service : one.service,
        block,
        calls,
        frequencies: frequency
          ? [
              {
                from: (made.begin * 60 + frequency.from) * 60,
                until: (made.begin * 60 + frequency.from + frequency.length) * 60,
                headway: frequency.headway * 60,
              },
            ]
          : [],
      });
    }
    const services = made.services.map(
      (one): ModelService => ({
        weekdays: one.weekdays,
        first: dayAfter(date, one.first),
        last: dayAfter(date, one.last),
        exceptions: new Map(
          one.exceptions.map(([day, isAdded]) => [
            dayAfter(date, day),
            isAdded ? ('added' as const) : ('removed' as const),
          ]),
        ),
      }),
    );
    const changeSeconds = made.changeMinutes * 60;
    const rules = made.rules.map(({ from, to, type, minutes }): ModelRule => {
      const isWithout = type === 0;
      const seconds =
        type === 3
          ? undefined
          : isWithout
            ? changeSeconds
            : type === 1 && !made.standsStill
              ? 0
              : minutes * 60;
      return { from: from % stationOf.length, to: to % stationOf.length, seconds };
    });
    const stays = made.stays
      .filter(({ from, to }) => from < trips.length && to < trips.length)
      .filter(({ from, to }, index, all) => {
        return all.findIndex((other) => other.from === from && other.to === to) === index;
      });
    const zones = [...new Set([zone, made.otherZone])];
    const inZones = trips.map((one) => ({ ...one, zone: one.zone % zones.length }));
    const feed = { zones, stationOf, trips: inZones, services, rules, stays, changeSeconds };
    return { feed, date, zone };
  });

/** Writes a model as the files of a feed. */
export function filesOf({ zones, stationOf, trips, services, rules, stays }: ModelFeed): FeedTexts {
  const compact = (day: string): string => day.replaceAll('-', '');
  const time = (seconds: number): string =>
    [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
      .map((part) => String(part).padStart(2, '0'))
      .join(':');
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
  const frequencies = trips.flatMap(({ frequencies: list }, index) =>
    list.map(({ from, until, headway }) => ({
      trip_id: `t${index}`,
      start_time: time(from),
      end_time: time(until),
      headway_secs: headway,
    })),
  );
  const exceptions = services.flatMap(({ exceptions: list }, index) =>
    [...list].map(([day, kind]) => ({
      service_id: `s${index}`,
      date: compact(day),
      exception_type: kind === 'added' ? 1 : 2,
    })),
  );
  const transfers = [
    ...rules.map(({ from, to, seconds }) => ({
      from_stop_id: `p${from}`,
      to_stop_id: `p${to}`,
      transfer_type: seconds === undefined ? 3 : 2,
      min_transfer_time: seconds ?? '',
      from_trip_id: '',
      to_trip_id: '',
    })),
    ...stays.map(({ from, to, isPossible }) => ({
      from_stop_id: '',
      to_stop_id: '',
      transfer_type: isPossible ? 4 : 5,
      min_transfer_time: '',
      from_trip_id: `t${from}`,
      to_trip_id: `t${to}`,
    })),
  ];
  return {
    'agency.txt': table(
      zones.map((zone, index) => ({
        agency_id: `a${index}`,
        agency_name: `Agency ${index}`,
        agency_timezone: zone,
      })),
    ),
    'stops.txt': table(
      stationOf.map((station, index) => ({
        stop_id: `p${index}`,
        stop_name: `Stop ${index}`,
        location_type: station === index ? 1 : 0,
        parent_station: station === index ? '' : `p${station}`,
      })),
    ),
    'routes.txt': table(
      zones.map((_, index) => ({
        route_id: `r${index}`,
        agency_id: `a${index}`,
        route_short_name: `L${index}`,
        route_type: 2,
      })),
    ),
    'trips.txt': table(
      trips.map(({ zone, service: serviceIndex, block }, index) => ({
        route_id: `r${zone}`,
        service_id: `s${serviceIndex}`,
        trip_id: `t${index}`,
        block_id: block === undefined ? '' : `b${block}`,
      })),
    ),
    'stop_times.txt': table(
      trips.flatMap(({ calls }, index) =>
        calls.map(({ stop, arrival, departure, boards, alights }, at) => ({
          trip_id: `t${index}`,
          arrival_time: time(arrival),
          departure_time: time(departure),
          stop_id: `p${stop}`,
          stop_sequence: at * 10,
          pickup_type: boards ? 0 : 1,
          drop_off_type: alights ? 0 : 1,
        })),
      ),
    ),
    'calendar.txt': table(
      services.map(({ weekdays, first, last }, index) => ({
        service_id: `s${index}`,
        ...Object.fromEntries(days.map((name, day) => [name, weekdays[day] ? 1 : 0])),
        start_date: compact(first),
        end_date: compact(last),
      })),
    ),
    'calendar_dates.txt': `service_id,date,exception_type\n${exceptions.map((row) => Object.values(row).join(',')).join('\n')}\n`,
    ...(frequencies.length > 0 && { 'frequencies.txt': table(frequencies) }),
    ...(transfers.length > 0 && { 'transfers.txt': table(transfers) }),
  };
}
