import { currencyExponent } from '@ticketing/core';
import { at, bytesOf, isObject, numberAt, objectsOf, parse } from './json.ts';
import { minutesOf, type Row, type Stated } from './stated.ts';

/** Returns the trips of an answer with their offers. */
export function osdmRows(body: Uint8Array, passengers: number): readonly Row[] {
  const answer = parse(body);
  if (!isObject(answer)) return [];
  return objectsOf(answer['trips']).map((trip): Row => {
    const offers = objectsOf(answer['offers']).filter(
      (offer) => at(offer, 'tripCoverage', 'coveredTripId') === trip['id'],
    );
    return {
      body: bytesOf({ ...answer, trips: [trip], offers }),
      stated: {
        minutes: minutesOf(trip['duration']),
        changes: numberAt(trip, 'transfers'),
        total: leastTotal(trip, offers, passengers),
      },
    };
  });
}

/**
 * The least price for all travellers and the whole trip, of offers of one kind: those for all of them, or those for each. Nothing where
 * an offer is for a part of the trip, or for some of several travellers, or of another currency.
 */
function leastTotal(
  trip: unknown,
  offers: readonly unknown[],
  passengers: number,
): Stated['total'] {
  const legs = objectsOf(at(trip, 'legs')).filter((leg) => 'timedLeg' in leg).length;
  /** Least amounts by kind and traveller. */
  const kinds = new Map<string, Map<string, number>>();
  const currencies = new Set<string>();
  for (const offer of offers) {
    const price = at(offer, 'offerSummary', 'minimalPrice');
    const [amount, currency] = [numberAt(price, 'amount'), at(price, 'currency')];
    const refs = at(offer, 'passengerRefs');
    const named = Array.isArray(refs) && refs.length < passengers ? refs.map(String) : ['all'];
    const covered = at(offer, 'tripCoverage', 'coveredLegIds');
    const isWhole = !Array.isArray(covered) || covered.length === legs;
    const [traveller = 'all', ...others] = named;
    if (amount === undefined || typeof currency !== 'string' || !isWhole || others.length > 0)
      return undefined;
    currencies.add(currency);
    const scale = currencyExponent(currency) - (numberAt(price, 'scale') ?? 2);
    const kind = ['overallTravelClass', 'overallFlexibility'].map((name) =>
      at(offer, 'offerSummary', name),
    );
    const own = kinds.get(kind.join()) ?? new Map<string, number>();
    kinds.set(kind.join(), own);
    own.set(traveller, Math.min(own.get(traveller) ?? Number.MAX_VALUE, amount * 10 ** scale));
  }
  const [currency, ...others] = currencies;
  const totals = [...kinds.values()].flatMap((own) => {
    const { all, ...each } = Object.fromEntries(own);
    const prices = Object.values(each);
    const sum = prices.length === passengers ? prices.reduce((a, b) => a + b, 0) : undefined;
    return [all, sum].filter((total) => total !== undefined);
  });
  if (currency === undefined || others.length > 0 || totals.length === 0) return undefined;
  return { amount: Math.min(...totals), currency };
}
