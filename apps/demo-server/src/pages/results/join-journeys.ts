import { type Journey, mergeJourneys, type Place } from '@ticketing/core';
import { isSplit } from '../journey/journey-badge.ts';

/**
 * Joins journeys of several searches: a train that carriers of both sell is one journey. Journeys of two tickets stay as they are: beside
 * the same trains on one ticket they would lose the mark of their connection.
 */
export function joinJourneys(
  journeys: readonly Journey[],
  places: Iterable<Place>,
): readonly Journey[] {
  const splits = new Map<string, Journey>();
  const others: Journey[] = [];
  for (const journey of journeys) {
    if (isSplit(journey)) splits.set(journey.id, journey);
    else others.push(journey);
  }
  return [...mergeJourneys(others, { places }), ...splits.values()];
}
