import { compareText, type Journey } from './journey.ts';

/** By what a list of journeys is sorted; equal ones by journey id. */
export const JOURNEY_ORDERS = ['price', 'departure', 'arrival', 'duration'] as const;
export type JourneyOrder = (typeof JOURNEY_ORDERS)[number];

interface Ranked {
  readonly journey: Journey;
  readonly currency: string;
  readonly rank: number;
}

/**
 * Sorts journeys into a new list. The order is total: however the input is shuffled, the list is the
 * same. By price: the cheapest offer counts, currencies are kept apart, sold-out journeys come last.
 */
export function sortJourneys(journeys: readonly Journey[], order: JourneyOrder): Journey[] {
  return journeys
    .map((journey) => rankOf(journey, order))
    .sort(compareRanked)
    .map(({ journey }) => journey);
}

function compareRanked(a: Ranked, b: Ranked): number {
  if (a.currency !== b.currency) return compareText(a.currency, b.currency);
  if (a.rank !== b.rank) return a.rank < b.rank ? -1 : 1;
  return compareText(a.journey.id, b.journey.id);
}

function rankOf(journey: Journey, order: JourneyOrder): Ranked {
  switch (order) {
    case 'price':
      return priceOf(journey);
    case 'departure':
      return { journey, currency: '', rank: journey.departure.ms };
    case 'arrival':
      return { journey, currency: '', rank: journey.arrival.ms };
    case 'duration':
      return { journey, currency: '', rank: journey.durationMinutes };
  }
}

function priceOf(journey: Journey): Ranked {
  const cheapest = journey.offers[0]?.total;
  return cheapest
    ? { journey, currency: cheapest.currency, rank: cheapest.amount }
    : { journey, currency: '\uffff', rank: 0 };
}
