import type { RideLeg, RideSection } from '@ticketing/core';
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
  const { expectedArrival: _, ...first } = before;
  const { destination, arrival, expectedArrival } = after;
  return {
    ...first,
    destination,
    arrival,
    ...(expectedArrival !== undefined && { expectedArrival }),
    ...(after.cancelled && { cancelled: true }),
    sections: [...(before.sections ?? [sectionOf(before)]), sectionOf(after)],
  };
}

function sectionOf({ kind: _kind, sections: _sections, ...section }: RideLeg): RideSection {
  return section;
}
