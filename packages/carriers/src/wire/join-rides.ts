import {
  MAX_REMARKS,
  type Remark,
  type RideLeg,
  type RideSection,
  type RideStop,
} from '@ticketing/core';
import { LeftOut } from './read-journeys.ts';

/**
 * Returns two rides between which people stay in the train as one ride of sections: it is no change.
 *
 * @throws LeftOut when the second leaves before the first arrives
 */
export function joinRides(before: RideLeg, after: RideLeg): RideLeg {
  const arrives = (before.expectedArrival ?? before.arrival).ms;
  const leaves = (after.expectedDeparture ?? after.departure).ms;
  if (after.departure.ms < before.arrival.ms && leaves < arrives) {
    throw new LeftOut('with a stay in a train that ends before it begins');
  }
  const {
    expectedArrival: _arrival,
    arrivalPlatform: _platform,
    remarks: _remarks,
    stops: _stops,
    ...first
  } = before;
  const { destination, arrival, expectedArrival, arrivalPlatform } = after;
  const remarks = joinedRemarks(before, after);
  const stops = joinedStops(before, after);
  return {
    ...first,
    destination,
    arrival,
    ...(expectedArrival !== undefined && { expectedArrival }),
    ...(arrivalPlatform && { arrivalPlatform }),
    ...(after.cancelled && { cancelled: true }),
    ...(remarks.length > 0 && { remarks }),
    ...(stops && { stops }),
    sections: [...(before.sections ?? [sectionOf(before)]), sectionOf(after)],
  };
}

/** Each text once. */
function joinedRemarks(
  { remarks: first = [] }: RideLeg,
  { remarks: second = [] }: RideLeg,
): readonly Remark[] {
  const known = new Set(first.map(({ text }) => text));
  return [...first, ...second.filter(({ text }) => !known.has(text))].slice(0, MAX_REMARKS);
}

/** The train also calls where one section ends and the next begins. */
function joinedStops(before: RideLeg, after: RideLeg): readonly RideStop[] | undefined {
  if (before.stops === undefined || after.stops === undefined) return undefined;
  const platform = after.departurePlatform ?? before.arrivalPlatform;
  const between: RideStop = {
    station: after.origin,
    arrival: before.arrival,
    departure: after.departure,
    ...(before.expectedArrival && { expectedArrival: before.expectedArrival }),
    ...(after.expectedDeparture && { expectedDeparture: after.expectedDeparture }),
    ...(platform && { platform }),
  };
  return [...before.stops, between, ...after.stops];
}

function sectionOf({ kind: _kind, sections: _sections, ...section }: RideLeg): RideSection {
  return section;
}
