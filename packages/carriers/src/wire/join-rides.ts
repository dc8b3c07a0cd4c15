import type { RideLeg, RideSection, RideStop } from '@ticketing/core';
import { LeftOut } from './read-journeys.ts';
import { listRemarks } from './remarks.ts';

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
  const { expectedArrival: _, arrivalPlatform: __, stops: ___, co2Grams: ____, ...first } = before;
  const { destination, arrival, expectedArrival, arrivalPlatform } = after;
  const remarks = listRemarks([...(before.remarks ?? []), ...(after.remarks ?? [])]);
  const stops = stopsOf(before, after);
  const grams = [before, after].map(({ co2Grams = Number.NaN }) => co2Grams);
  const co2Grams = grams.reduce((sum, own) => sum + own);
  return {
    ...first,
    destination,
    arrival,
    ...(expectedArrival !== undefined && { expectedArrival }),
    ...(after.cancelled && { cancelled: true }),
    ...(arrivalPlatform && { arrivalPlatform }),
    ...(remarks && { remarks }),
    ...(stops && { stops }),
    // The figure of a part is not that of the whole.
    ...(!Number.isNaN(co2Grams) && { co2Grams }),
    sections: [...(before.sections ?? [sectionOf(before)]), sectionOf(after)],
  };
}

/** Returns the stations on the way of both, and the one between them. */
function stopsOf(before: RideLeg, after: RideLeg): readonly RideStop[] | undefined {
  if (before.stops === undefined || after.stops === undefined) return undefined;
  const platform = after.departurePlatform ?? before.arrivalPlatform;
  const between: RideStop = {
    station: before.destination,
    arrival: before.arrival,
    departure: after.departure,
    ...(before.expectedArrival && { expectedArrival: before.expectedArrival }),
    ...(after.expectedDeparture && { expectedDeparture: after.expectedDeparture }),
    ...(platform && { platform }),
    // A part that runs ends or begins there.
    ...(before.cancelled && after.cancelled && { cancelled: true }),
  };
  return [...before.stops, between, ...after.stops];
}

function sectionOf({ kind: _kind, sections: _sections, ...section }: RideLeg): RideSection {
  return section;
}
