import { addMoney, type Offer } from '@ticketing/core';

/** An offer for some of the passengers of a query. */
export interface PartyOffer {
  readonly offer: Offer;
  /** The passengers that it is for, as bits of their places. */
  readonly passengers: number;
}

/** Most sets of passengers of which the offers are combined, the cheapest of each. */
const MAX_SETS = 64;

/**
 * Returns offers for all passengers, made of offers that are each for some: the cheapest combination for the same rides, in the same
 * class, flexibility and currency. Where such offers do not cover each passenger once, there is none.
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
    return cover === undefined ? [] : [joined(cover)];
  });
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
  const { fareName, seatsLeft: _seats, validUntil: _until, ...rest } = first;
  const leastOf = (field: 'seatsLeft' | 'validUntil'): number | undefined => {
    const values = offers.flatMap((offer) => offer[field] ?? []);
    return values.length < offers.length ? undefined : Math.min(...values);
  };
  const [seatsLeft, validUntil] = [leastOf('seatsLeft'), leastOf('validUntil')];
  const isOneFare = fareName !== undefined && others.every((offer) => offer.fareName === fareName);
  return {
    ...rest,
    id: offers.map(({ id }) => id).join('+'),
    total: others.map(({ total }) => total).reduce(addMoney, first.total),
    ...(isOneFare && { fareName }),
    ...(seatsLeft !== undefined && { seatsLeft }),
    ...(validUntil !== undefined && { validUntil }),
  };
}
