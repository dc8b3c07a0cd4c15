import { listRuns } from './list-runs.ts';
import { addDays } from './local-clock.ts';
import type { Service } from './service.ts';
import type { TrainRun } from './train.ts';

/** The shortest and the longest time between two trains of a journey. */
const changeMs = { shortest: 25 * 60_000, longest: 90 * 60_000 };

/** A train every quarter of an hour, so that whoever arrives finds one to go on with. */
const trainsForAnyChange = 96;

/** What decides the journeys with a change between two stations on one day. */
export interface ConnectionsQuery {
  readonly seed: string;
  readonly date: string;
  readonly connection: readonly [Service, Service];
  /** How many are wanted: beyond what the timetable has, extra trains run. */
  readonly atLeast: number;
}

/** Lists the journeys with a change, by departure: each first train with the earliest second within 25-90 minutes. */
export function listConnections(
  query: ConnectionsQuery,
): readonly (readonly [TrainRun, TrainRun])[] {
  const planned = joinTrains(query, 0);
  if (planned.length >= query.atLeast) return planned;
  return joinTrains(query, Math.max(query.atLeast, trainsForAnyChange));
}

function joinTrains(
  { seed, date, connection }: ConnectionsQuery,
  atLeast: number,
): readonly (readonly [TrainRun, TrainRun])[] {
  const [service, onward] = connection;
  const firsts = listRuns({ seed, date, service, atLeast });
  const days = [date, addDays(date, 1)];
  const seconds = days.flatMap((day) => listRuns({ seed, date: day, service: onward, atLeast }));
  return firsts.flatMap((first) => {
    const second = seconds.find(
      ({ departureMs }) =>
        departureMs >= first.arrivalMs + changeMs.shortest &&
        departureMs <= first.arrivalMs + changeMs.longest,
    );
    return second ? [[first, second] as const] : [];
  });
}
