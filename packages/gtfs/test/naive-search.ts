import { Temporal } from 'temporal-polyfill';

/** A feed as a search sees it, before it is written as files. */
export interface ModelFeed {
  readonly zones: readonly string[];
  /** Station of each stop, by index: itself without one. */
  readonly stationOf: readonly number[];
  readonly trips: readonly ModelTrip[];
  readonly services: readonly ModelService[];
  readonly rules: readonly ModelRule[];
  readonly stays: readonly {
    readonly from: number;
    readonly to: number;
    readonly isPossible: boolean;
  }[];
  readonly changeSeconds: number;
}

export interface ModelTrip {
  readonly zone: number;
  readonly service: number;
  readonly block: number | undefined;
  readonly calls: readonly ModelCall[];
  readonly frequencies: readonly {
    readonly from: number;
    readonly until: number;
    readonly headway: number;
  }[];
}

export interface ModelCall {
  readonly stop: number;
  readonly arrival: number;
  readonly departure: number;
  readonly boards: boolean;
  readonly alights: boolean;
}

export interface ModelService {
  /** Monday first. */
  readonly weekdays: readonly boolean[];
  readonly first: string;
  readonly last: string;
  readonly exceptions: ReadonlyMap<string, 'added' | 'removed'>;
}

/** Rule for two stops; `undefined` as seconds: no change is possible. */
export interface ModelRule {
  readonly from: number;
  readonly to: number;
  readonly seconds: number | undefined;
}

/** Departure and arrival in epoch ms, and number of rides. */
export type Point = readonly [departure: number, arrival: number, rides: number];

/** One vehicle on one day, in epoch seconds. */
interface Run {
  readonly trip: number;
  readonly day: string;
  readonly calls: readonly ModelCall[];
}

function isActive(service: ModelService, day: string): boolean {
  const exception = service.exceptions.get(day);
  if (exception !== undefined) return exception === 'added';
  const { dayOfWeek } = Temporal.PlainDate.from(day);
  return (
    day >= service.first && day <= service.last && (service.weekdays[dayOfWeek - 1] as boolean)
  );
}

/** Epoch seconds of noon minus 12 hours. */
function dayStart(day: string, zone: string): number {
  const noon = Temporal.PlainDate.from(day).toZonedDateTime({ timeZone: zone, plainTime: '12:00' });
  return noon.epochMilliseconds / 1000 - 12 * 3600;
}

function midnight(day: string, zone: string): number {
  return Temporal.PlainDate.from(day).toZonedDateTime(zone).epochMilliseconds / 1000;
}

export function dayAfter(day: string, days: number): string {
  return Temporal.PlainDate.from(day).add({ days }).toString();
}

function runsAround(feed: ModelFeed, date: string): Run[] {
  const runs: Run[] = [];
  for (let shift = -4; shift <= 4; shift++) {
    const day = dayAfter(date, shift);
    for (const [trip, { zone, service, calls, frequencies }] of feed.trips.entries()) {
      if (!isActive(feed.services[service] as ModelService, day)) continue;
      const start = dayStart(day, feed.zones[zone] as string);
      const begins = frequencies.flatMap(({ from, until, headway }) => {
        const times: number[] = [];
        for (let time = from; time < until; time += headway) times.push(time);
        return times.map((time) => time - (calls[0]?.departure as number));
      });
      for (const begin of frequencies.length > 0 ? begins : [0]) {
        const moved = calls.map((call) => ({
          ...call,
          arrival: start + begin + call.arrival,
          departure: start + begin + call.departure,
        }));
        runs.push({ trip, day, calls: moved });
      }
    }
  }
  return runs;
}

/** Seconds of the way from one stop to another, `undefined` without one: the most special rule counts, of equal ones the last. */
function changeBetween(feed: ModelFeed, from: number, to: number): number | undefined {
  const { stationOf, rules, changeSeconds } = feed;
  const [fromStation, toStation] = [stationOf[from], stationOf[to]];
  let found = fromStation === toStation ? changeSeconds : undefined;
  let special = -1;
  for (const rule of rules) {
    const isMeant =
      (rule.from === from || rule.from === fromStation) &&
      (rule.to === to || rule.to === toStation);
    const level =
      Number(rule.from !== stationOf[rule.from]) + Number(rule.to !== stationOf[rule.to]);
    if (!isMeant || level < special) continue;
    special = level;
    found = rule.seconds;
  }
  return found;
}

/** The run in which one stays seated after a run, `undefined` without one. */
function followerOf(feed: ModelFeed, runs: readonly Run[], run: Run): Run | undefined {
  const own = feed.trips[run.trip] as ModelTrip;
  if (own.frequencies.length > 0) return undefined;
  const end = own.calls.at(-1) as ModelCall;
  const mayFollow = (trip: number): boolean => {
    const other = feed.trips[trip] as ModelTrip;
    const isForbidden = feed.stays.some(
      ({ from, to, isPossible }) => from === run.trip && to === trip && !isPossible,
    );
    return (
      trip !== run.trip &&
      !isForbidden &&
      other.frequencies.length === 0 &&
      other.zone === own.zone &&
      (other.calls[0]?.departure as number) >= end.arrival
    );
  };
  const ruled = feed.stays.filter(({ from, isPossible }) => from === run.trip && isPossible);
  const startOf = (trip: number): number => feed.trips[trip]?.calls[0]?.departure as number;
  const ofBlock = [...feed.trips.keys()]
    .filter((trip) => own.block !== undefined && feed.trips[trip]?.block === own.block)
    .sort((a, b) => startOf(a) - startOf(b) || a - b);
  for (const trip of [...ruled.map(({ to }) => to), ...ofBlock].filter(mayFollow)) {
    const next = runs.find((other) => other.trip === trip && other.day === run.day);
    if (next === undefined) continue;
    const isSame = feed.stationOf[next.calls[0]?.stop as number] === feed.stationOf[end.stop];
    return isSame ? next : undefined;
  }
  return undefined;
}

/** Every call that one reaches by staying in a run from a call on. */
function callsAfter(feed: ModelFeed, runs: readonly Run[], run: Run, from: number): ModelCall[] {
  const calls = run.calls.slice(from + 1);
  let last = run;
  for (;;) {
    const next = followerOf(feed, runs, last);
    if (next === undefined || next === run) return calls;
    calls.push(...next.calls.slice(1));
    last = next;
  }
}

/** Finds the best journeys of a day: for each departure the earliest arrivals in rounds of rides, and of all these the best. */
export function naiveSearch(
  feed: ModelFeed,
  question: {
    readonly origins: readonly number[];
    readonly destinations: readonly number[];
    readonly date: string;
    readonly zone: string;
    readonly maxRides: number;
    readonly maxHours: number;
  },
): readonly Point[] {
  const { origins, destinations, date, zone, maxRides, maxHours } = question;
  const start = midnight(date, zone);
  const end = midnight(dayAfter(date, 1), zone);
  const horizon = end + maxHours * 3600;
  const runs = runsAround(feed, date);
  const wayTo = (stop: number): number =>
    origins.includes(stop) ? 0 : leastWay(origins.map((one) => changeBetween(feed, one, stop)));
  const wayFrom = (stop: number): number =>
    destinations.includes(stop)
      ? 0
      : leastWay(destinations.map((one) => changeBetween(feed, stop, one)));
  // Times at which one leaves to board just in time, perhaps after a way on foot.
  const departures = new Set(
    runs.flatMap(({ calls }) =>
      calls
        .filter(({ stop, boards }) => boards && wayTo(stop) < Number.POSITIVE_INFINITY)
        .map((call) => call.departure - wayTo(call.stop)),
    ),
  );
  const points: Point[] = [];
  for (const departure of departures) {
    if (departure < start || departure >= horizon) continue;
    let ready = new Map<number, number>();
    for (let rides = 1; rides <= maxRides; rides++) {
      const arrived = new Map<number, number>();
      for (const run of runs) {
        for (const [at, call] of run.calls.slice(0, -1).entries()) {
          const isBoarded =
            call.boards &&
            // Who is there does not travel on.
            !destinations.includes(call.stop) &&
            (rides === 1
              ? call.departure - wayTo(call.stop) === departure
              : (ready.get(call.stop) ?? Number.POSITIVE_INFINITY) <= call.departure);
          if (!isBoarded) continue;
          for (const { stop, arrival, alights } of callsAfter(feed, runs, run, at)) {
            if (alights && arrival < (arrived.get(stop) ?? Number.POSITIVE_INFINITY)) {
              arrived.set(stop, arrival);
            }
          }
        }
      }
      for (const [stop, arrival] of arrived) {
        const end = arrival + wayFrom(stop);
        if (end < Number.POSITIVE_INFINITY) points.push([departure * 1000, end * 1000, rides]);
      }
      ready = readyAfter(feed, arrived);
    }
  }
  const best = points.filter(
    ([departure, arrival, rides], index) =>
      !points.some(([otherDeparture, otherArrival, otherRides], other) => {
        const isAsGood =
          otherDeparture >= departure && otherArrival <= arrival && otherRides <= rides;
        const isSame =
          otherDeparture === departure && otherArrival === arrival && otherRides === rides;
        return isAsGood && (!isSame || other < index);
      }),
  );
  return best
    .filter(([departure, arrival]) => {
      return departure < end * 1000 && arrival - departure <= maxHours * 3_600_000;
    })
    .sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
}

function leastWay(ways: readonly (number | undefined)[]): number {
  return Math.min(...ways.map((seconds) => seconds ?? Number.POSITIVE_INFINITY));
}

function readyAfter(feed: ModelFeed, arrived: ReadonlyMap<number, number>): Map<number, number> {
  const ready = new Map<number, number>();
  for (const [from, arrival] of arrived) {
    for (const to of feed.stationOf.keys()) {
      const seconds = changeBetween(feed, from, to);
      if (seconds === undefined) continue;
      const time = arrival + seconds;
      if (time < (ready.get(to) ?? Number.POSITIVE_INFINITY)) ready.set(to, time);
    }
  }
  return ready;
}
