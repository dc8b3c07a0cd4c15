import type { CarrierPair } from '../../contract/carrier-returns.ts';
import { mergeJourneys } from '../../journeys/merge.ts';
import { comparedPrice, compareText, type Journey, type Offer } from '../../model/journey.ts';
import type { ConvertMoney } from '../../prices/exact-rate.ts';
import type { Place } from '../../stations/station-index.ts';
import type { SearchResult } from '../search-result.ts';
import type { JourneyPair } from './round-trip-result.ts';

/** Pairs of one answer, and the journeys that they are of. */
export interface FoundPairs {
  readonly outbound: readonly Journey[];
  readonly inbound: readonly Journey[];
  readonly pairs: readonly CarrierPair[];
  readonly places: readonly Place[];
}

/** Seller of the marks by which journeys are found again after they were merged. */
const MARK = '#';

/**
 * Returns the pairs whose journeys are in the result of each way, by the ids that these have there: a journey that a carrier
 * pairs is the same as one of a result where a merge makes them one. Of one pair of journeys the cheapest offer of each seller is left.
 */
export function matchPairs(
  found: readonly FoundPairs[],
  {
    outbound,
    inbound,
    convert,
  }: {
    readonly outbound: SearchResult;
    readonly inbound: SearchResult;
    readonly convert: ConvertMoney | undefined;
  },
): readonly JourneyPair[] {
  const places = found.flatMap((one) => one.places);
  const outIds = idsIn(
    outbound,
    found.map((one) => one.outbound),
    places,
  );
  const backIds = idsIn(
    inbound,
    found.map((one) => one.inbound),
    places,
  );
  const cheapest = new Map<string, JourneyPair>();
  for (const [at, { pairs }] of found.entries()) {
    for (const pair of pairs) {
      const [out, back] = [outIds[at]?.[pair.outbound], backIds[at]?.[pair.inbound]];
      if (out === undefined || back === undefined) continue;
      const converted = convert?.(pair.offer.total);
      const offer: Offer = converted ? { ...pair.offer, converted } : pair.offer;
      const key = JSON.stringify([out, back, offer.seller, comparedPrice(offer).currency]);
      const known = cheapest.get(key);
      if (known !== undefined && comparedPrice(known.offer).amount <= comparedPrice(offer).amount) {
        continue;
      }
      cheapest.set(key, { outbound: out, inbound: back, offer });
    }
  }
  return [...cheapest.values()].sort(comparePairs);
}

/** By converted prices first, then each currency by itself. */
function comparePairs(a: JourneyPair, b: JourneyPair): number {
  const [own, other] = [comparedPrice(a.offer), comparedPrice(b.offer)];
  return (
    Number(a.offer.converted === undefined) - Number(b.offer.converted === undefined) ||
    compareText(own.currency, other.currency) ||
    own.amount - other.amount ||
    compareText(a.outbound, b.outbound) ||
    compareText(a.inbound, b.inbound) ||
    compareText(a.offer.seller, b.offer.seller)
  );
}

/** Returns the id in a result of each journey of some lists; `undefined` of one that it lacks. */
function idsIn(
  result: SearchResult,
  lists: readonly (readonly Journey[])[],
  places: readonly Place[],
): readonly (readonly (string | undefined)[])[] {
  const marked = result.journeys.map((journey) => withMark(journey, { result: journey.id }));
  for (const [list, journeys] of lists.entries()) {
    for (const [at, journey] of journeys.entries()) marked.push(withMark(journey, { list, at }));
  }
  const ids = lists.map((journeys) => journeys.map((): string | undefined => undefined));
  const all = [...Object.values(result.places), ...places];
  for (const { offers } of mergeJourneys(marked, { places: all })) {
    const marks = offers.map(({ id }) => JSON.parse(id) as Mark);
    const own = marks.find((mark) => 'result' in mark);
    if (own === undefined) continue;
    for (const mark of marks) {
      const list = 'list' in mark ? ids[mark.list] : undefined;
      if (list !== undefined && 'list' in mark) list[mark.at] = own.result;
    }
  }
  return ids;
}

type Mark = { readonly result: string } | { readonly list: number; readonly at: number };

function withMark({ passengers: _, ...journey }: Journey, mark: Mark): Journey {
  const offer: Offer = {
    id: JSON.stringify(mark),
    seller: MARK,
    total: { amount: 0, currency: 'EUR' },
    travelClass: 'any',
    flexibility: 'unknown',
    fetchedAt: 0,
  };
  return { ...journey, offers: [offer] };
}
