import type { CarrierDay } from '../../contract/carrier-day.ts';
import type { ResolvedQuery } from '../../contract/search-query.ts';
import { lowestPrices } from '../../journeys/cheapest-total.ts';
import { mergeJourneys } from '../../journeys/merge.ts';
import { type CarrierId, compareText, type Journey, ridesOf } from '../../model/journey.ts';
import type { LocalDate } from '../../model/local-clock.ts';
import { addMoney, type Money } from '../../model/money.ts';
import { presentFields } from '../../model/present-fields.ts';
import { withConverted } from '../../prices/convert-prices.ts';
import type { ConvertMoney } from '../../prices/exact-rate.ts';
import type { Place } from '../../stations/station-index.ts';
import { createPlaces } from '../places.ts';
import type { CalendarDay } from './calendar-result.ts';

/** Knowledge of one carrier about one day: its journeys, or the word of its own calendar. */
export type Finding =
  | {
      readonly kind: 'journeys';
      readonly journeys: readonly Journey[];
      readonly places?: readonly Place[] | undefined;
      /** False if the carrier's answer ended early. */
      readonly whole: boolean;
    }
  | { readonly kind: 'told'; readonly day: CarrierDay };

/** Query and carriers of a day. */
export interface DayContext {
  readonly date: LocalDate;
  /** Query of a search for the day. */
  readonly query: ResolvedQuery;
  readonly carriers: readonly { readonly id: CarrierId }[];
  /** Converts prices to one currency. Absent: none is. */
  readonly convert?: ConvertMoney | undefined;
}

/** A price with its source. */
interface DayPrice extends Required<Pick<CalendarDay, 'basis' | 'fetchedAt'>> {
  /** Amount to pay; absent if it is of several currencies. */
  readonly sold: Money | undefined;
  /** Amount that is compared: `sold`, or the same in another currency. */
  readonly total: Money;
  readonly isConverted: boolean;
  readonly carrier?: CarrierId | undefined;
}

/**
 * Returns a day as a search of all carriers would show it: the least price of the merged journeys. Cancelled journeys count for nothing.
 * A day without a price is `sold-out` or `no-trains` only if each carrier is known and says so.
 */
export function dayOf(
  findings: ReadonlyMap<CarrierId, Finding>,
  { date, query, carriers, convert }: DayContext,
): CalendarDay {
  const places = createPlaces(query, carriers);
  const found: Journey[] = [];
  const told: CarrierDay[] = [];
  const prices: DayPrice[] = [];
  const unknown: CarrierId[] = [];
  for (const { id } of carriers) {
    const finding = findings.get(id);
    if (!isWhole(finding)) unknown.push(id);
    if (finding?.kind === 'journeys') {
      found.push(...finding.journeys);
      places.learn(id, finding.places);
    } else if (finding !== undefined) {
      const { day } = finding;
      told.push(day);
      const { lowest: sold, fetchedAt } = day;
      if (sold !== undefined) {
        const converted = convert?.(sold);
        const amounts = { sold, total: converted ?? sold, isConverted: converted !== undefined };
        prices.push({ ...amounts, carrier: id, basis: 'calendar', fetchedAt });
      }
    }
  }
  const journeys = mergeJourneys(found, { places: places.all() }).filter(runs);
  for (const journey of journeys) {
    prices.push(...pricesOf(convert ? withConverted(journey, convert) : journey));
  }
  const least = leastByCurrency(prices);
  // Amounts of two currencies are not compared.
  const lowest = least.length === 1 ? least[0] : undefined;
  const open = { date, ...(unknown.length > 0 && { unknown }) };
  if (least.length > 0) {
    return {
      ...open,
      state: 'priced',
      ...(lowest && {
        lowest: lowest.sold ?? lowest.total,
        ...(lowest.isConverted && { converted: lowest.total }),
        ...presentFields({ carrier: lowest.carrier }),
        basis: lowest.basis,
        fetchedAt: lowest.fetchedAt,
      }),
      totals: least.map(({ total }) => total),
    };
  }
  const isSoldOut =
    told.some(({ state }) => state === 'sold-out') || journeys.some(isSoldOutJourney);
  const isOpen = unknown.length > 0 || !journeys.every(isSoldOutJourney);
  return { ...open, state: isOpen ? 'unknown' : isSoldOut ? 'sold-out' : 'no-trains' };
}

function isWhole(finding: Finding | undefined): boolean {
  if (finding?.kind === 'journeys') return finding.whole;
  return finding !== undefined && finding.day.state !== 'unknown';
}

function runs({ legs }: Journey): boolean {
  return ridesOf(legs).every(({ cancelled }) => cancelled === undefined);
}

/** A journey without a price is sold out where a carrier that has prices lists it. */
function isSoldOutJourney({ sources, unpriced = [] }: Journey): boolean {
  return sources.some((source) => !unpriced.includes(source));
}

/** Returns the least price of a journey in each currency, with its seller if it is of one offer. */
function pricesOf(journey: Journey): readonly DayPrice[] {
  return lowestPrices(journey).map(({ total, offers }): DayPrice => {
    const [first, ...others] = offers;
    const currency = first?.total.currency;
    const isSole = offers.every((offer) => offer.total.currency === currency);
    const sold = isSole
      ? others.reduce<Money | undefined>(
          (sum, offer) => sum && addMoney(sum, offer.total),
          first?.total,
        )
      : undefined;
    return {
      sold,
      total,
      isConverted: first?.converted !== undefined,
      carrier: others.every(({ seller }) => seller === first?.seller) ? first?.seller : undefined,
      basis: 'offer',
      fetchedAt: Math.min(...offers.map(({ fetchedAt }) => fetchedAt)),
    };
  });
}

/** Returns the least price of each currency: of equal ones the first seller by id counts, and an offer before a calendar. */
function leastByCurrency(prices: readonly DayPrice[]): readonly DayPrice[] {
  const least = new Map<string, DayPrice>();
  for (const price of prices) {
    const { currency } = price.total;
    const known = least.get(currency);
    if (known === undefined || comparePrices(price, known) < 0) least.set(currency, price);
  }
  return [...least.values()].sort(
    (a, b) =>
      Number(b.isConverted) - Number(a.isConverted) ||
      compareText(a.total.currency, b.total.currency),
  );
}

function comparePrices(a: DayPrice, b: DayPrice): number {
  return (
    a.total.amount - b.total.amount ||
    compareText(b.basis, a.basis) ||
    compareText(a.carrier ?? '', b.carrier ?? '') ||
    b.fetchedAt - a.fetchedAt
  );
}
