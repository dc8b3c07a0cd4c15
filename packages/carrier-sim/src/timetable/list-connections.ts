import { listRuns } from './list-runs.ts';
import { addDays } from './local-clock.ts';
import type { Service } from './service.ts';
import type { TrainRun } from './train.ts';

/** The shortest and the longest time between two trains of a journey. */
const changeMs = { shortest: 25 * 60_000, longest: 90 * 60_000 };

/** A train every quarter of an hour. */
const extraFirsts = 96;

/**
 * A train every two minutes, so that whoever arrives finds one to go on with. When the clocks go back no train leaves in
 * the hour that comes again, and there is little room for another gap beside it.
 */
const extraSeconds = 720;

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
