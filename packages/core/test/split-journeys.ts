import {
  createJourney,
  createLocalClock,
  type Journey,
  type Leg,
  type Offer,
  type Station,
  type StationGroup,
} from '@ticketing/core';
import { madrid, offer } from './trains.ts';

const clock = createLocalClock();
/** 00:00 of the day of these journeys, at the zone of all their stations. */
const MIDNIGHT = clock.epoch('2026-12-01T00:00', 'Europe/Madrid');
const MINUTE_MS = 60_000;

const place = (id: string, name: string, latitude: number): Station => ({
  ...{ id, name, latitude, zone: 'Europe/Madrid', country: 'ES', longitude: 2 },
  codes: { all: id },
});

export const north = place('h:north', 'Hub North', 43);
export const south = place('h:south', 'Hub South', 43.1);
export const hub: StationGroup = { ...place('city:hub', 'Hub', 43.05), members: [north, south] };
export const far = place('f:1', 'Far Away', 48);

/** A journey of one train or more, as a test speaks of it: minutes of the day. */
export interface JourneyParts {
  readonly source: string;
  readonly origin?: string;
  readonly destination?: string;
  readonly from: number;
  readonly until: number;
  readonly changes?: number;
  readonly offers?: readonly Offer[];
  readonly priced?: false | undefined;
  /** Minutes by which the first train leaves, and the last one arrives, later than planned. */
  readonly late?: number | undefined;
  /** Minutes on foot before the first train and after the last. */
  readonly onFoot?: number | undefined;
}

const at = (minutes: number) => clock.fromEpoch(MIDNIGHT + minutes * MINUTE_MS, 'Europe/Madrid');

export function journey(parts: JourneyParts): Journey {
  const { source, origin = madrid.id, destination = far.id, from, until, changes = 0 } = parts;
  const { late, onFoot } = parts;
  const count = changes + 1;
  const rides = Array.from({ length: count }, (_, index): Leg => {
    const [first, last] = [index === 0, index === changes];
    const step = (until - from) / count;
    const [leaves, arrives] = [from + index * step, last ? until : from + (index + 1) * step];
    return {
      kind: 'ride',
      number: `${source}-${from}-${until}-${index}`,
      origin: first ? origin : `c:${index}`,
      destination: last ? destination : `c:${index + 1}`,
      departure: at(leaves),
      arrival: at(arrives),
      ...(late !== undefined && {
        expectedDeparture: at(leaves + late),
        expectedArrival: at(arrives + late),
      }),
    };
  });
  const walk = (from: string, to: string): Leg[] =>
    onFoot === undefined
      ? []
      : [{ kind: 'transfer', origin: from, destination: to, minutes: onFoot }];
  return createJourney({
    source,
    legs: [...walk(origin, origin), ...rides, ...walk(destination, destination)],
    offers: parts.offers ?? [offer(source, 1000)],
    priced: parts.priced,
  });
}
