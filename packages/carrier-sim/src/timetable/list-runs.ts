import { localDay } from './local-clock.ts';
import { stationOf } from './network.ts';
import { createRandom, type Random } from './random.ts';
import type { Service } from './service.ts';
import type { TrainBrand, TrainRun } from './train.ts';

const minutesPerDay = 1440;

/** First and last departure of the day, in minutes after midnight. */
const hoursOf: Readonly<Record<TrainBrand, readonly [number, number]>> = {
  AVE: [375, 1335],
  ALVIA: [375, 1335],
  AVLO: [390, 1290],
  OUIGO: [375, 1280],
};

/** Where the numbers of a brand lie: 1,000 odd and 1,000 even ones each, no number in two brands. */
const numbersOf: Readonly<Record<TrainBrand, readonly (readonly [number, number])[]>> = {
  AVE: [
    [3000, 1000],
    [2000, 1000],
  ],
  ALVIA: [
    [4000, 1000],
    [5000, 1000],
  ],
  AVLO: [
    [6000, 600],
    [8000, 1400],
  ],
  OUIGO: [
    [6600, 1400],
    [1400, 600],
  ],
};

/** What decides the rides of one brand between two stations on one day. */
export interface RunsQuery {
  readonly seed: string;
  readonly service: Service;
  readonly date: string;
  /** How many rides are wanted, 1,000 at most: extra ones run where the timetable has fewer. Default 0. */
  readonly atLeast?: number;
}

/**
 * Lists the rides of one brand between two stations on one day, by departure: same query, same list.
 *
 * No two leave in the same minute; extra rides are spread over the whole day and leave the others as they are.
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
 * Planned Avlo trains leave at minutes that end in 2 or 7 and trains of other brands never do,
 * so that no two trains in one listing share a minute though each brand is drawn by itself.
 */
function listDepartures(query: RunsQuery, random: Random): readonly number[] {
  const { service, atLeast = 0 } = query;
  const day = localDay(query.date, stationOf(service.origin).zone);
  const shared = service.brand === 'AVLO';
  const taken = new Set<number>();
  const departures: number[] = [];
  const depart = (wanted: number, step: number): void => {
    for (let minute = wanted; ; minute = (minute + step) % minutesPerDay) {
      const free = !taken.has(minute) && (shared || minute % 5 !== 2);
      const ms = free ? day.msAt(minute) : undefined;
      if (ms === undefined) continue;
      taken.add(minute);
      departures.push(ms);
      return;
    }
  };
  const [first, last] = hoursOf[service.brand];
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
  for (const [start, length] of numbersOf[service.brand]) {
    if (rest < length) return String(start + rest).padStart(5, '0');
    rest -= length;
  }
  throw new RangeError(`Cannot number train: expected an index below 1000, got ${index}`);
}

/** Avlo's wire has no arrival, so its trains keep to the running time that its clients know. */
function runningMinutes(service: Service, draw: Random): number {
  const stretch = service.brand === 'AVLO' ? 1 : draw.pick([1, 1, 1.05, 1.15]);
  return Math.round(service.runningMinutes * stretch);
}
