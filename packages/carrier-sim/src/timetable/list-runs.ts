import { addDays, localDay } from './local-clock.ts';
import { stationOf } from './network.ts';
import { createRandom, type Random } from './random.ts';
import type { Service } from './service.ts';
import { brands } from './spanish-brands.ts';
import type { TrainRun } from './train.ts';

const minutesPerDay = 1440;

/** Query for the trains of one brand between two stations on one day. */
interface RunsQuery {
  readonly seed: string;
  readonly service: Service;
  readonly date: string;
  /** Number of trains, at most 1,000. Extra trains run where the timetable has fewer. Default 0. */
  readonly atLeast?: number;
}

/**
 * Returns the trains of one brand between two stations on one day, by departure: same query, same list.
 *
 * No two leave in the same minute. Extra trains are spread over the whole day and do not change the others.
 */
export function listRuns(query: RunsQuery): readonly TrainRun[] {
  const { seed, service, date } = query;
  const key = `${seed}/${service.brand}/${service.origin}/${service.destination}`;
  const random = createRandom(`${key}/${date}`);
  const departures = listDepartures(query, random);
  const soldOut = random.below(service.brand === 'AVE' ? service.trainsPerDay : 30);
  const firstNumber = createRandom(key).below(200);
  return departures
    .map((departureMs, index) => {
      const number = trainNumber(service, (firstNumber + index * 3) % 1000);
      const draw = createRandom(`${key}/${date}/${number}`);
      const seatsLeft = draw.below(5) === 0 ? 1 + draw.below(3) : 4 + draw.below(300);
      return {
        number,
        brand: service.brand,
        origin: service.origin,
        destination: service.destination,
        date,
        departureMs,
        arrivalMs: departureMs + runningMinutes(service, draw) * 60_000,
        seatsLeft: index === soldOut ? 0 : seatsLeft,
      };
    })
    .sort((a, b) => a.departureMs - b.departureMs);
}

/**
 * Planned Avlo trains leave at minutes that end in 2 or 7, trains of other brands at others: so no two trains of
 * one listing share a minute, although each brand is drawn by itself.
 */
function listDepartures(query: RunsQuery, random: Random): readonly number[] {
  const { service, atLeast = 0 } = query;
  const day = localDay(query.date, stationOf(service.origin).zone);
  const shared = service.brand === 'AVLO';
  const taken = new Set<number>();
  const departures: number[] = [];
  const depart = (earliest: number, step: number): void => {
    for (let minute = earliest; ; minute = (minute + step) % minutesPerDay) {
      const free = !taken.has(minute) && (shared || minute % 5 !== 2);
      const ms = free ? day.msAt(minute) : undefined;
      if (ms === undefined) continue;
      taken.add(minute);
      departures.push(ms);
      return;
    }
  };
  const [first, last] = brands[service.brand].hours;
  const gap = (last - first) / Math.max(1, service.trainsPerDay - 1);
  for (let index = 0; index < service.trainsPerDay; index++) {
    const shift = index % (service.trainsPerDay - 1) === 0 ? 0 : random.below(5) - 2;
    depart(Math.round((first + index * gap) / 5 + shift) * 5 + (shared ? 2 : 0), 5);
  }
  const extra = atLeast - service.trainsPerDay;
  for (let index = 0; index < extra; index++) {
    depart(Math.floor((index * minutesPerDay) / extra), 1);
  }
  return departures;
}

function trainNumber(service: Service, index: number): string {
  let rest = index * 2 + (service.outward ? 1 : 0);
  for (const [start, length] of brands[service.brand].numbers) {
    if (rest < length) return String(start + rest).padStart(5, '0');
    rest -= length;
  }
  throw new RangeError(`Cannot number train: \`index\` must be below 1000, got ${index}`);
}

/** Avlo's wire has no arrival, so its trains always need the running time that its clients know. */
function runningMinutes(service: Service, draw: Random): number {
  const stretch = service.brand === 'AVLO' ? 1 : draw.pick([1, 1, 1.05, 1.15]);
  return Math.round(service.runningMinutes * stretch);
}

/** The shortest and the longest time between two trains of a journey. */
const changeMs = { shortest: 25 * 60_000, longest: 90 * 60_000 };

/** A train every quarter of an hour. */
const extraFirsts = 96;

/**
 * A train every two minutes, so that each first train has a connection. When the clocks go back no train leaves in
 * the hour that comes again, which leaves little room for another gap.
 */
const extraSeconds = 720;

/** Query for the journeys with a change between two stations on one day. */
interface ConnectionsQuery {
  readonly seed: string;
  readonly date: string;
  readonly connection: readonly [Service, Service];
  /** Extra trains run where the timetable has fewer. */
  readonly atLeast: number;
}

/** Returns the journeys with a change, by departure: each first train with the earliest second one within 25-90 minutes. */
export function listConnections(
  query: ConnectionsQuery,
): readonly (readonly [TrainRun, TrainRun])[] {
  const { atLeast } = query;
  const planned = joinTrains(query, { firsts: 0, seconds: 0 });
  if (planned.length >= atLeast) return planned;
  return joinTrains(query, {
    firsts: Math.max(atLeast, extraFirsts),
    seconds: Math.max(atLeast, extraSeconds),
  });
}

function joinTrains(
  { seed, date, connection }: ConnectionsQuery,
  atLeast: { readonly firsts: number; readonly seconds: number },
): readonly (readonly [TrainRun, TrainRun])[] {
  const [service, onward] = connection;
  const firsts = listRuns({ seed, date, service, atLeast: atLeast.firsts });
  const days = [date, addDays(date, 1)];
  const seconds = days.flatMap((day) =>
    listRuns({ seed, date: day, service: onward, atLeast: atLeast.seconds }),
  );
  return firsts.flatMap((first) => {
    const second = seconds.find(
      ({ departureMs }) =>
        departureMs >= first.arrivalMs + changeMs.shortest &&
        departureMs <= first.arrivalMs + changeMs.longest,
    );
    return second ? [[first, second] as const] : [];
  });
}
