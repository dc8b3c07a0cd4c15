import { type Journey, mergeJourneys, type Place } from '@ticketing/core';

/** Joins journeys of several searches: a train that carriers of both sell is one journey. */
export function joinJourneys(
  journeys: readonly Journey[],
  places: Iterable<Place>,
): readonly Journey[] {
  return mergeJourneys(journeys, { places });
}
