import { CarrierError, type CarrierQuery, type LocalClock, type Place } from '@ticketing/core';
import { BY_FREQUENCY, type Feed, NO_ALIGHTING, NO_BOARDING } from '../feed/feed.ts';
import { dateOf } from '../files/field-values.ts';
import { beginnings, endings } from '../scan/ends.ts';
import { type FoundJourney, findJourneys } from '../scan/find-journeys.ts';
import type { FoundRide, RidePart } from '../scan/unroll.ts';
import type { GtfsWire, WireCall, WirePart, WireRide, WireWay } from './gtfs-wire.ts';
import type { ServedStations } from './served-stations.ts';

const HOUR_MS = 3_600_000;

/** One feed as a carrier. */
export interface ServedFeed {
  readonly id: string;
  readonly feed: Feed;
  readonly served: ServedStations;
  readonly clock: LocalClock;
  readonly maxTransfers: number;
  readonly maxHours: number;
}

/**
 * Searches the timetable for a day, and copies the rows of what it finds.
 *
 * @throws CarrierError `NOT_SERVED` for a station where no vehicle calls, `DATE_OUT_OF_RANGE` for a day that the feed does not have
 */
export function requestGtfs(
  served: ServedFeed,
  query: CarrierQuery,
  signal: AbortSignal,
): GtfsWire {
  signal.throwIfAborted();
  const { feed, clock, maxTransfers, maxHours } = served;
  const { origin, destination, date } = query;
  const ends = [origin, destination].map((station) => {
    const rows = served.served.rowsOf(station);
    if (rows.length > 0) return { station, rows };
    const message = `Cannot ask \`${served.id}\`: it does not serve ${station.name}`;
    throw new CarrierError('NOT_SERVED', message);
  });
  if (date < feed.firstDate || date > feed.lastDate) {
    const message = `Cannot ask \`${served.id}\`: its timetable is of ${feed.firstDate} to ${feed.lastDate}, not of ${date}`;
    throw new CarrierError('DATE_OUT_OF_RANGE', message);
  }
  const [origins = [], destinations = []] = ends.map(({ rows }) =>
    rows.flatMap(served.served.nodesOf),
  );
  const startMs = clock.epoch(`${date}T00:00`, origin.zone);
  const nextDay = dateOf(Date.parse(date) / 86_400_000 + 1);
  const found = findJourneys(
    feed,
    {
      origins,
      destinations,
      startMs,
      endMs: clock.epoch(`${nextDay}T00:00`, origin.zone),
      maxMs: maxHours * HOUR_MS,
      maxRides: Math.min(maxTransfers, query.maxTransfers ?? maxTransfers) + 1,
    },
    clock,
  );
  return copyJourneys(served, found, { ends, stops: query.stops === true });
}

interface Copying {
  readonly ends: readonly { readonly station: Place; readonly rows: readonly number[] }[];
  readonly stops: boolean;
}

function copyJourneys(
  served: ServedFeed,
  found: readonly FoundJourney[],
  { ends, stops }: Copying,
): GtfsWire {
  const { feed } = served;
  const places: Place[] = [];
  const indexes = new Map<number, number>();
  const operators: Record<string, string> = {};
  const placeIndex = (stop: number): number => {
    const row = feed.stops.stations[stop] as number;
    const known = indexes.get(row);
    if (known !== undefined) return known;
    // The ends of the question are stations of another table than the carrier's, perhaps.
    const end = ends.find(({ rows }) => rows.includes(row))?.station;
    indexes.set(row, places.length);
    places.push(end ? placeOf(end) : served.served.placeOf(row));
    return places.length - 1;
  };
  const copyPart = (startMs: number, part: RidePart): WirePart => {
    const { stream, run, firstRow, lastRow } = part;
    const trip = feed.runs.trips[run] as number;
    const route = feed.routes[feed.trips.routes[trip] as number];
    const agency = feed.agencies[route?.agency as number];
    const operator = `${served.id}:${agency?.id || 'agency'}`;
    operators[operator] = agency?.name as string;
    const { stops: stopOf, arrivals, departures, flags } = feed.stopTimes;
    const baseMs = startMs + (stream.base + (feed.runs.shifts[run] as number)) * 1000;
    const calls: WireCall[] = [];
    for (let row = firstRow; row <= lastRow; row++) {
      const isEnd = row === firstRow || row === lastRow;
      const isPassed = (flags[row] as number) === (NO_BOARDING | NO_ALIGHTING);
      if (!isEnd && (!stops || isPassed)) continue;
      const stop = stopOf[row] as number;
      calls.push({
        place: placeIndex(stop),
        platform: feed.stops.platforms[stop] as string,
        arrivalMs: baseMs + (arrivals[row] as number) * 1000,
        departureMs: baseMs + (departures[row] as number) * 1000,
      });
    }
    // Only trains are known by numbers, and runs of one trip by frequency share its number.
    const isNumbered =
      route?.mode === undefined && ((feed.runs.flags[run] as number) & BY_FREQUENCY) === 0;
    return {
      brand: route?.brand,
      number: (isNumbered && feed.trips.numbers[trip]) || undefined,
      mode: route?.mode,
      operator,
      operatingDay: dateOf(stream.day),
      zone: feed.connections.zones[agency?.zone as number] as string,
      calls,
    };
  };
  const copyRide = (startMs: number, ride: FoundRide, next: FoundRide | undefined): WireRide => ({
    parts: ride.map((part) => copyPart(startMs, part)),
    changeMinutes: next ? Math.ceil(changeSeconds(feed, ride, next) / 60) : 0,
  });
  const [origin, destination] = ends.map(({ rows }) => rows);
  const begin = waysAt(served, origin, beginnings);
  const end = waysAt(served, destination, endings);
  const copyWay = (ways: WaysAt, stopTime: number): WireWay | undefined => {
    const stop = feed.stopTimes.stops[stopTime] as number;
    if (ways.rows.includes(feed.stops.stations[stop] as number)) return undefined;
    const seconds = ways.seconds.get(feed.stops.nodes[stop] as number) ?? 0;
    return { place: placeIndex(ways.rows[0] as number), minutes: Math.ceil(seconds / 60) };
  };
  const journeys = found.map(({ startMs, rides }) => ({
    rides: rides.map((ride, index) => copyRide(startMs, ride, rides[index + 1])),
    before: copyWay(begin, (rides[0] as FoundRide)[0].firstRow),
    after: copyWay(end, ((rides.at(-1) as FoundRide).at(-1) as RidePart).lastRow),
  }));
  return { journeys, places, operators };
}

/** Rows of a station, and the seconds on foot between it and the nodes of others. */
interface WaysAt {
  readonly rows: readonly number[];
  readonly seconds: ReadonlyMap<number, number>;
}

function waysAt(
  { feed, served }: ServedFeed,
  rows: readonly number[] | undefined,
  ends: typeof beginnings,
): WaysAt {
  const own = rows ?? [];
  const found = ends(feed.changes, own.flatMap(served.nodesOf));
  return { rows: own, seconds: new Map(found.map(({ node, seconds }) => [node, seconds])) };
}

function placeOf({ id, name, zone, latitude, longitude }: Place): Place {
  return {
    id,
    name,
    ...(zone !== undefined && { zone }),
    ...(latitude !== undefined && { latitude }),
    ...(longitude !== undefined && { longitude }),
  };
}

function changeSeconds(feed: Feed, ride: FoundRide, next: FoundRide): number {
  const nodeOf = (row: number): number =>
    feed.stops.nodes[feed.stopTimes.stops[row] as number] as number;
  const from = nodeOf((ride.at(-1) as RidePart).lastRow);
  const to = nodeOf(next[0].firstRow);
  const { first, to: others, seconds } = feed.changes;
  for (let at = first[from] as number; at < (first[from + 1] as number); at++) {
    if (others[at] === to) return seconds[at] as number;
  }
  return 0;
}
