import { addMoney, type Condition, type Offer, type OfferConditions } from '@ticketing/core';
import { joinPlain } from '../wire/remarks.ts';
import { commonCondition } from './conditions.ts';

/** An offer for some of the passengers of a query. */
export interface PartyOffer {
  readonly offer: Offer;
  /** Passengers of the offer, as bits of their places. */
  readonly passengers: number;
}

/** Most sets of passengers of which the offers are combined, the cheapest of each. */
const MAX_SETS = 64;

/**
 * Returns offers for all passengers, made of offers that are each for some: the cheapest combination for the same rides, in the same
 * class, flexibility and currency. Where such offers do not cover each passenger once they stay unchanged, the cheapest of each set of
 * passengers, with the indexes of these.
 */
export function combineOffers(parts: readonly PartyOffer[], count: number): readonly Offer[] {
  const groups = new Map<string, Map<number, Offer>>();
  for (const { offer, passengers } of parts) {
    const { rides, travelClass, flexibility, total } = offer;
    const kind = [rides?.join(), travelClass, flexibility, total.currency].join(' ');
    const group = groups.get(kind) ?? new Map<number, Offer>();
    groups.set(kind, group);
    const known = group.get(passengers);
    const isCheaper = known === undefined || offer.total.amount < known.total.amount;
    if (isCheaper && (known !== undefined || group.size < MAX_SETS)) group.set(passengers, offer);
  }
  return [...groups.values()].flatMap((group) => {
    const cover = cheapestCover([...group], 2 ** count - 1);
    if (cover !== undefined) return [joined(cover)];
    return [...group].map(([passengers, offer]) => ({
      ...offer,
      passengers: placesOf(passengers),
    }));
  });
}

/** The places of passengers, of bits. */
function placesOf(passengers: number): readonly number[] {
  const places: number[] = [];
  for (let place = 0; 2 ** place <= passengers; place += 1) {
    if ((passengers & (2 ** place)) !== 0) places.push(place);
  }
  return places;
}

interface Cover {
  readonly amount: number;
  readonly offers: readonly Offer[];
}

/** Returns the offers that together are for each passenger once and cost least, over all sets of passengers as bits. */
function cheapestCover(
  offers: readonly (readonly [passengers: number, offer: Offer])[],
  all: number,
): readonly Offer[] | undefined {
  const best: (Cover | undefined)[] = [{ amount: 0, offers: [] }];
  for (let covered = 0; covered < all; covered += 1) {
    const soFar = best[covered];
    if (soFar === undefined) continue;
    // Passengers are added by the first who is not covered, so that each combination is built once.
    const next = ~covered & (covered + 1);
    for (const [passengers, offer] of offers) {
      if ((passengers & next) === 0 || (passengers & covered) !== 0) continue;
      const amount = soFar.amount + offer.total.amount;
      const known = best[covered | passengers];
      if (known === undefined || amount < known.amount) {
        best[covered | passengers] = { amount, offers: [...soFar.offers, offer] };
      }
    }
  }
  return best[all]?.offers;
}

function joined(offers: readonly Offer[]): Offer {
  const [first, ...others] = offers as [Offer, ...Offer[]];
  const { fareName, seatsLeft: _seats, validUntil: _until, conditions: _own, ...rest } = first;
  const leastOf = (field: 'seatsLeft' | 'validUntil'): number | undefined => {
    const values = offers.flatMap((offer) => offer[field] ?? []);
    return values.length < offers.length ? undefined : Math.min(...values);
  };
  const [seatsLeft, validUntil] = [leastOf('seatsLeft'), leastOf('validUntil')];
  const conditions = joinedConditions(offers.map((offer) => offer.conditions));
  const isOneFare = fareName !== undefined && others.every((offer) => offer.fareName === fareName);
  return {
    ...rest,
    id: offers.map(({ id }) => id).join('+'),
    total: others.map(({ total }) => total).reduce(addMoney, first.total),
    ...(isOneFare && { fareName }),
    ...(conditions && { conditions }),
    ...(seatsLeft !== undefined && { seatsLeft }),
    ...(validUntil !== undefined && { validUntil }),
  };
}

/** Tickets of one party: where they differ, a part of the price comes back; a condition that one lacks is unknown. */
function joinedConditions(
  all: readonly (OfferConditions | undefined)[],
): OfferConditions | undefined {
  const given = all.filter((one) => one !== undefined);
  if (given.length === 0) return undefined;
  const of = (field: 'refund' | 'exchange'): Condition =>
    commonCondition(all.map((one) => one?.[field] ?? 'unknown'));
  const text = joinPlain(given.map((one) => one.text));
  return {
    refund: of('refund'),
    exchange: of('exchange'),
    ...(text !== undefined && { text }),
  };
}
