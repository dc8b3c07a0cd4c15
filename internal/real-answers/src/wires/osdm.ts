import { currencyExponent } from '@ticketing/core';
import { at, bytesOf, isObject, numberAt, objectsOf, parse } from '../json.ts';
import { minutesOf, type Row, type Stated } from '../stated.ts';

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

/** The least price of offers for all travellers and the whole trip, if all offers are such and of one currency. */
function leastTotal(
  trip: unknown,
  offers: readonly unknown[],
  passengers: number,
): Stated['total'] {
  const legs = objectsOf(at(trip, 'legs')).filter((leg) => 'timedLeg' in leg).length;
  const totals = offers.map((offer) => {
    const price = at(offer, 'offerSummary', 'minimalPrice');
    const [amount, currency] = [numberAt(price, 'amount'), at(price, 'currency')];
    const refs = at(offer, 'passengerRefs');
    const covered = at(offer, 'tripCoverage', 'coveredLegIds');
    const isForAll = !Array.isArray(refs) || refs.length === passengers;
    const isWhole = !Array.isArray(covered) || covered.length === legs;
    if (amount === undefined || typeof currency !== 'string' || !isForAll || !isWhole)
      return undefined;
    const scale = currencyExponent(currency) - (numberAt(price, 'scale') ?? 2);
    return { amount: amount * 10 ** scale, currency };
  });
  const [first] = totals;
  if (totals.some((total) => total?.currency !== first?.currency)) return undefined;
  return totals.reduce((a, b) => (a && b && b.amount < a.amount ? b : a), first);
}
