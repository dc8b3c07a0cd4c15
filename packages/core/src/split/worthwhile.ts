import type { Journey } from '../model/journey.ts';
import { arrivalMsOf, canBeTaken, departureMsOf, totalsByCurrency } from './halves.ts';
import { undominated } from './undominated.ts';

/**
 * Returns the combined journeys that are worth the risk: cheaper than every through journey that has a price in the same currency, or
 * faster from door to door than all of them. Through journeys that are sold out or do not run do not count. Of several hubs no journey
 * dominates another.
 */
export function worthwhile(combined: readonly Journey[], through: readonly Journey[]): Journey[] {
  let fewestMinutes = Number.POSITIVE_INFINITY;
  const least = new Map<string, number>();
  const others = through.filter(canBeTaken);
  for (const journey of others) {
    fewestMinutes = Math.min(fewestMinutes, journey.durationMinutes);
    for (const [currency, amount] of totalsByCurrency(journey)) {
      least.set(currency, Math.min(amount, least.get(currency) ?? amount));
    }
  }
  const isCheaper = ([currency, amount]: readonly [string, number]): boolean =>
    amount < (least.get(currency) ?? amount);
  const rated = combined.map((journey) => ({
    journey,
    arrivalMs: arrivalMsOf(journey),
    departureMs: departureMsOf(journey),
    transfers: journey.transfers,
    totals: totalsByCurrency(journey),
    id: journey.id,
  }));
  return undominated(rated)
    .filter(
      ({ journey, totals }) =>
        journey.durationMinutes < fewestMinutes || [...totals].some(isCheaper),
    )
    .map(({ journey }) => journey);
}
