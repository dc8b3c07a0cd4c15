import { addDays, localDay } from '../local-clock.ts';
import { stationOf } from '../network.ts';
import { createRandom } from '../random.ts';
import type { StationPair } from '../station-pair.ts';
import type { TrainRun, TrainSection } from '../train.ts';
import { type EuropeanLine, europeanLines, minuteOf } from './lines.ts';

const minuteMs = 60_000;
const minutesPerDay = 1440;

/** A pair of stations on one day, with the seed that decides seats and delays. */
export interface RunsQuery extends StationPair {
  readonly seed: string;
  /** The day of departure at `origin`. */
  readonly date: string;
}

/** One direction of a line between two of its stops. */
interface Section {
  readonly line: EuropeanLine;
  readonly departures: EuropeanLine['outward'];
  readonly firstStop: string;
  /** Minutes from the first stop of the direction. */
  readonly from: number;
  readonly to: number;
  /** Minutes from the first stop of the direction to the stop at which its trains get another number. */
  readonly renumberedAt?: number;
}

/** Returns the section of a line between two stations, if its trains call at both. */
export function sectionOf(line: EuropeanLine, pair: StationPair): Section | undefined {
  const minutesOf = (uic: string): number | undefined =>
    line.stops.find(([stop]) => stop === uic)?.[1];
  const from = minutesOf(pair.origin);
  const to = minutesOf(pair.destination);
  if (from === undefined || to === undefined || from === to) return undefined;
  const [first = '', last = '', length = 0] = [line.stops[0]?.[0], ...(line.stops.at(-1) ?? [])];
  const at = line.renumbered && minutesOf(line.renumbered.at);
  return from < to
    ? {
        line,
        departures: line.outward,
        firstStop: first,
        from,
        to,
        ...(at !== undefined && { renumberedAt: at }),
      }
    : {
        line,
        departures: line.back,
        firstStop: last,
        from: length - from,
        to: length - to,
        ...(at !== undefined && { renumberedAt: length - at }),
      };
}

/** Returns whether a line has a train of a number. `index` is its place among the lines, by which extra trains are numbered. */
export function hasTrain(line: EuropeanLine, index: number, number: string): boolean {
  if (Math.floor(Number(number) / 10_000) === index + 1) return true;
  const numbers = [number, String(Number(number) - (line.renumbered?.by ?? 0))];
  return numbers.some((one) => Object.hasOwn(line.outward, one) || Object.hasOwn(line.back, one));
}

/**
 * Returns the trains of a line between two of its stops that leave the first one on a day, by departure. A train that began on the
 * day before is among them.
 */
export function listRuns(line: EuropeanLine, query: RunsQuery): readonly TrainRun[] {
  const section = sectionOf(line, query);
  if (section === undefined) return [];
  const [startMs, endMs] = dayOf(query);
  const runs = [addDays(query.date, -1), query.date].flatMap((serviceDate) => {
    const day = localDay(serviceDate, stationOf(section.firstStop).zone);
    return Object.entries(section.departures).flatMap(([number, time]) => {
      const firstMs = day.msAt(minuteOf(time));
      if (firstMs === undefined) return [];
      const departureMs = firstMs + section.from * minuteMs;
      if (departureMs < startMs || departureMs >= endMs) return [];
      return [toRun(section, query, { number, serviceDate, departureMs })];
    });
  });
  return runs.sort((a, b) => a.departureMs - b.departureMs);
}

/**
 * Returns trains beside the timetable, spread over the day, at none of the `taken` instants. A number belongs to one line
 * and minute, so that carriers which list different extra trains never give one number to two of them.
 */
export function listExtraRuns(
  line: EuropeanLine,
  query: RunsQuery,
  { count, taken }: { readonly count: number; readonly taken: ReadonlySet<number> },
): readonly TrainRun[] {
  const section = sectionOf(line, query);
  if (section === undefined) return [];
  const day = localDay(query.date, stationOf(query.origin).zone);
  const used = new Set(taken);
  const firstNumber = 10_000 * (1 + europeanLines.indexOf(line));
  const runs = Array.from({ length: count }, (_, index) => {
    for (
      let minute = Math.floor((index * minutesPerDay) / count);
      ;
      minute = (minute + 1) % minutesPerDay
    ) {
      const departureMs = day.msAt(minute);
      if (departureMs === undefined || used.has(departureMs)) continue;
      used.add(departureMs);
      const number = String(firstNumber + minute);
      return toRun(section, query, {
        number,
        serviceDate: query.date,
        departureMs,
        isExtra: true,
      });
    }
  });
  return runs.sort((a, b) => a.departureMs - b.departureMs);
}

/** The first and the last instant of a day at the origin, the last excluded. */
function dayOf({ origin, date }: RunsQuery): readonly [startMs: number, endMs: number] {
  const { zone } = stationOf(origin);
  const midnight = (day: string): number => localDay(day, zone).msAt(0) ?? 0;
  return [midnight(date), midnight(addDays(date, 1))];
}

interface Departure {
  readonly number: string;
  /** The day on which the train begins. */
  readonly serviceDate: string;
  readonly departureMs: number;
  /** Extra trains are never cancelled: a plan wants that many journeys. */
  readonly isExtra?: boolean;
}

/** Seats and delays belong to the whole train: every carrier and every pair of its stops has the same. */
function toRun(section: Section, query: RunsQuery, departure: Departure): TrainRun {
  const { line, from, to } = section;
  const { seed, origin, destination, date } = query;
  const { number, serviceDate, departureMs, isExtra = false } = departure;
  const draw = createRandom(`${seed}/${line.brand}/${number}/${serviceDate}`);
  const seats = [0, 1 + draw.below(3), 4 + draw.below(300)] as const;
  const fill = draw.below(25);
  const isLate = draw.below(10) === 0;
  const delayMinutes = 1 + draw.below(25);
  const isCancelled = draw.below(80) === 0 && !isExtra;
  const seatsLeft = fill === 0 ? seats[0] : fill < 5 ? seats[1] : seats[2];
  return {
    number,
    brand: line.brand,
    origin,
    destination,
    date,
    departureMs,
    arrivalMs: departureMs + (to - from) * minuteMs,
    ...(!isExtra && renumberingOf(section, query, departure)),
    seatsLeft: isCancelled ? 0 : seatsLeft,
    operator: line.operator,
    ...(line.name !== undefined && { line: line.name }),
    ...(isCancelled ? { cancelled: true } : isLate && { delayMinutes }),
  };
}

/** Returns what another number on the way changes: the number itself, an arrival where the train waits, and both parts of a train. */
function renumberingOf(
  { line: { renumbered, outward }, from, to, departures, renumberedAt: at }: Section,
  { origin, destination }: RunsQuery,
  { number, departureMs }: Departure,
): Partial<Pick<TrainRun, 'number' | 'arrivalMs' | 'sections'>> {
  if (renumbered === undefined || at === undefined) return {};
  const beyond = String(Number(number) + renumbered.by);
  const [before, after] = departures === outward ? [number, beyond] : [beyond, number];
  if (from >= at) return { number: after };
  const arrivalMs = departureMs + (at - from - renumbered.minutes) * minuteMs;
  const first = { number: before, origin, destination: renumbered.at, departureMs, arrivalMs };
  if (to === at) return { number: before, arrivalMs };
  if (to < at) return { number: before };
  const second: TrainSection = {
    number: after,
    origin: renumbered.at,
    destination,
    departureMs: departureMs + (at - from) * minuteMs,
    arrivalMs: departureMs + (to - from) * minuteMs,
  };
  return { number: before, sections: [first, second] };
}
