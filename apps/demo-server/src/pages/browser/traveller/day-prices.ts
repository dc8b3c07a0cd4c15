import type { Money } from '@ticketing/core';

/** Lowest prices of days that were asked for, while the window is open. */
export interface DayPrices {
  /** Returns the prices of a search, by day. */
  of(search: string): ReadonlyMap<string, Money>;
  remember(search: string, day: string, price: Money): void;
}

/** Keeps prices in a storage; one that is full, or forbidden, keeps nothing. */
export function createDayPrices(storage: () => Storage): DayPrices {
  const read = (search: string): Record<string, Money> => {
    try {
      return JSON.parse(storage().getItem(`prices ${search}`) ?? '{}') as Record<string, Money>;
    } catch {
      return {};
    }
  };
  return {
    of: (search) => new Map(Object.entries(read(search))),
    remember(search, day, price) {
      try {
        storage().setItem(`prices ${search}`, JSON.stringify({ ...read(search), [day]: price }));
      } catch {
        // The strip has fewer prices.
      }
    },
  };
}
