import { addDays } from '../local-clock.ts';
import type { StationPair } from '../station-pair.ts';
import type { Ride, TrainRun } from '../train.ts';
import { type EuropeanLine, type EuropeanSeller, europeanChanges, europeanLines } from './lines.ts';
import { listExtraRuns, listRuns, type RunsQuery, sectionOf } from './list-runs.ts';

/** Query for the rides that one carrier sells. */
interface RidesQuery extends RunsQuery {
  readonly seller: EuropeanSeller;
  /** Extra trains run where the timetable has fewer. */
  readonly atLeast: number;
}

type Change = (typeof europeanChanges)[number];
type Legs = readonly [first: StationPair, second: StationPair];

/** Enough first trains, and second ones every two minutes, that each first one has a connection. */
const extras = { firsts: 96, seconds: 720 };

/** Most minutes of two trains, as a multiple of the minutes of the fastest direct train. */
const detour = 1.6;

/** Returns whether a carrier sells journeys between two stations: by one train, or by two. */
export function sellsPair(seller: EuropeanSeller, pair: StationPair): boolean {
  return linesOf(seller, pair).length > 0 || changesOf(seller, pair).length > 0;
}

/**
 * Returns what a carrier sells between two stations on a day, by departure, no two in one minute: every direct train, and journeys
 * of two trains where no other leaves later and arrives earlier. Cancelled trains are listed, but not changed to or from.
 */
export function listRides(query: RidesQuery): readonly Ride[] {
  const { seller, atLeast } = query;
  const lines = linesOf(seller, query);
  const directs = lines.flatMap((line) => listRuns(line, query)).map((run): Ride => [run]);
  const rides = [...directs];
  for (const change of changesOf(seller, query)) {
    const legs = legsOf(query, change);
    const [firsts, seconds] = runsOf(query, legs, { firsts: 0, seconds: 0 });
    addConnections(rides, join({ firsts, seconds, change }));
  }
  const missing = atLeast - rides.length;
  if (missing > 0) rides.push(...extraRides(query, { lines, rides, missing }));
  return rides.sort((a, b) => departureOf(a) - departureOf(b));
}

function linesOf(seller: EuropeanSeller, pair: StationPair): readonly EuropeanLine[] {
  return europeanLines.filter((line) => line.sellers.includes(seller) && sectionOf(line, pair));
}

function legsOf(pair: StationPair, { from, to }: Change): Legs {
  return [
    { origin: pair.origin, destination: from },
    { origin: to, destination: pair.destination },
  ];
}

/** Returns where a carrier's passengers may change: nowhere that a direct train of anyone makes a long way round. */
function changesOf(seller: EuropeanSeller, pair: StationPair): readonly Change[] {
  if (pair.origin === pair.destination) return [];
  const longest = detour * fastest(europeanLines, pair);
  return europeanChanges.filter((change) => {
    const legs = legsOf(pair, change);
    const [first, second] = [linesOf(seller, legs[0]), linesOf(seller, legs[1])];
    const minutes = fastest(first, legs[0]) + fastest(second, legs[1]);
    if (minutes === Number.POSITIVE_INFINITY || minutes > longest) return false;
    // Two trains of one line that goes all the way are no journey.
    return first.some((line) => second.some((onward) => onward !== line));
  });
}

/** Returns the fewest running minutes of some lines between two stations. */
function fastest(lines: readonly EuropeanLine[], pair: StationPair): number {
  const minutes = lines
    .flatMap((line) => sectionOf(line, pair) ?? [])
    .map(({ from, to }) => to - from);
  return Math.min(...minutes);
}

/** Returns the trains of both legs: of the change's day, and of the day after for the second. */
function runsOf(
  query: RidesQuery,
  [first, second]: Legs,
  atLeast: { readonly firsts: number; readonly seconds: number },
): readonly [firsts: readonly TrainRun[], seconds: readonly TrainRun[]] {
  const listed = (leg: RunsQuery, count: number): readonly TrainRun[] => {
    const lines = linesOf(query.seller, leg);
    const runs = lines.flatMap((line) => listRuns(line, leg)).filter((run) => !run.cancelled);
    const [line] = lines;
    if (line === undefined || count <= runs.length) return runs;
    const taken = takenBy(leg, runs);
    const more = listExtraRuns(line, leg, { count: count - runs.length, taken });
    return [...runs, ...more];
  };
  const days = [query.date, addDays(query.date, 1)];
  const { seed } = query;
  return [
    listed({ ...first, seed, date: query.date }, atLeast.firsts),
    days.flatMap((date) => listed({ ...second, seed, date }, atLeast.seconds)),
  ];
}

/** Returns each first train with the second one that is expected to arrive earliest. */
function join({
  firsts,
  seconds,
  change,
}: {
  readonly firsts: readonly TrainRun[];
  readonly seconds: readonly TrainRun[];
  readonly change: Change;
}): readonly Ride[] {
  return firsts.flatMap((first): readonly Ride[] => {
    const [best] = seconds
      .filter((second) => isReached(first, second, change))
      .sort((a, b) => expectedArrivalOf(a) - expectedArrivalOf(b) || a.departureMs - b.departureMs);
    return best && (best.number !== first.number || best.brand !== first.brand)
      ? [[first, best]]
      : [];
  });
}

/** Returns whether there is time for a change as planned, or because the second train is later than the first. */
function isReached(first: TrainRun, second: TrainRun, { shortest, longest }: Change): boolean {
  const planned = (second.departureMs - first.arrivalMs) / 60_000;
  const late = (second.delayMinutes ?? 0) - (first.delayMinutes ?? 0);
  return planned >= shortest ? planned <= longest : planned + late >= shortest;
}

function expectedArrivalOf({ arrivalMs, delayMinutes = 0 }: TrainRun): number {
  return arrivalMs + delayMinutes * 60_000;
}

/** Adds the connections that leave in a minute of their own and that no ride beats. */
function addConnections(rides: Ride[], connections: readonly Ride[]): void {
  for (const connection of connections) {
    const [start, end] = [departureOf(connection), arrivalOf(connection)];
    const isBeaten = rides.some(
      (ride) => departureOf(ride) >= start && arrivalOf(ride) <= end && !ride[0].cancelled,
    );
    if (isBeaten || rides.some((ride) => departureOf(ride) === start)) continue;
    rides.push(connection);
  }
}

/** Returns trains that the timetable lacks, so that a search finds as many as a plan wants. */
function extraRides(
  query: RidesQuery,
  {
    lines: [line],
    rides,
    missing,
  }: {
    readonly lines: readonly EuropeanLine[];
    readonly rides: readonly Ride[];
    readonly missing: number;
  },
): readonly Ride[] {
  const taken = new Set([...takenBy(query, []), ...rides.map(departureOf)]);
  if (line !== undefined) {
    return listExtraRuns(line, query, { count: missing, taken }).map((run): Ride => [run]);
  }
  const [change] = changesOf(query.seller, query);
  if (change === undefined) return [];
  const [firsts, seconds] = runsOf(query, legsOf(query, change), {
    firsts: Math.max(query.atLeast + rides.length, extras.firsts),
    seconds: extras.seconds,
  });
  return join({ firsts, seconds, change })
    .filter((ride) => !taken.has(departureOf(ride)))
    .slice(0, missing);
}

/** Returns when trains of any carrier leave, so that extra ones leave at other minutes. */
function takenBy(query: RunsQuery, runs: readonly TrainRun[]): ReadonlySet<number> {
  const planned = europeanLines.flatMap((line) => listRuns(line, query));
  return new Set([...planned, ...runs].map(({ departureMs }) => departureMs));
}

function departureOf([first]: Ride): number {
  return first.departureMs;
}

function arrivalOf(ride: Ride): number {
  return (ride[1] ?? ride[0]).arrivalMs;
}
