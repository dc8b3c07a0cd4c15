import {
  type CarrierStatus,
  type Journey,
  lowestTotals,
  type Money,
  type Offer,
} from '@ticketing/core';
import { clockOf } from '../journey/names.ts';

/** Choices of the filters; an empty set lets everything through. */
export interface Filter {
  /** `0`, `1`, or `2` for more. */
  readonly changes: ReadonlySet<string>;
  /** First hours of {@link BANDS}. */
  readonly bands: ReadonlySet<string>;
  readonly carriers: ReadonlySet<string>;
  readonly conditions: ReadonlySet<string>;
}

/** Hours of departure. */
export const BANDS = [
  ['0', 8],
  ['8', 12],
  ['12', 18],
  ['18', 24],
] as const;

/** Conditions by which tickets can be chosen. */
const CONDITIONS = ['change', 'refund'] as const;

export const NO_FILTER: Filter = {
  changes: new Set(),
  bands: new Set(),
  carriers: new Set(),
  conditions: new Set(),
};

/** True for a journey that passes the filter. */
export function passes(journey: Journey, filter: Filter): boolean {
  const { changes, bands, carriers, conditions } = filter;
  return (
    (changes.size === 0 || changes.has(changesOf(journey))) &&
    (bands.size === 0 || bands.has(bandOf(journey))) &&
    (carriers.size === 0 || journey.sources.some((source) => carriers.has(source))) &&
    (conditions.size === 0 ||
      journey.offers.some((offer) => [...conditions].every((one) => allows(offer, one))))
  );
}

/** Counts what is chosen. */
export function chosenCount(filter: Filter): number {
  return Object.values(filter).reduce(
    (sum: number, { size }: ReadonlySet<string>) => sum + size,
    0,
  );
}

/** Number of journeys behind a choice, and of a carrier its lowest price, where its prices are of one currency. */
export interface Behind {
  readonly count: number;
  readonly lowest?: Money | undefined;
}

/** Journeys behind each choice, before any filter. Keys are the keys of {@link Filter}, then the choice. */
export type Choices = ReadonlyMap<`${keyof Filter}:${string}`, Behind>;

/** Counts the journeys behind each choice. */
export function choicesOf(journeys: readonly Journey[]): Choices {
  const counts = new Map<`${keyof Filter}:${string}`, number>();
  const prices = new Map<string, Map<string, number>>();
  const add = (key: `${keyof Filter}:${string}`): void => {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  };
  for (const journey of journeys) {
    add(`changes:${changesOf(journey)}`);
    add(`bands:${bandOf(journey)}`);
    for (const source of journey.sources) {
      add(`carriers:${source}`);
      const least = prices.get(`carriers:${source}`) ?? new Map<string, number>();
      prices.set(`carriers:${source}`, least);
      const offers = journey.offers.filter(({ seller }) => seller === source);
      for (const { amount, currency } of lowestTotals({ ...journey, offers })) {
        least.set(currency, Math.min(amount, least.get(currency) ?? amount));
      }
    }
    for (const one of CONDITIONS) {
      if (journey.offers.some((offer) => allows(offer, one))) add(`conditions:${one}`);
    }
  }
  return new Map(
    [...counts].map(([key, count]) => {
      const [least, ...others] = prices.get(key) ?? [];
      // Of two currencies neither is the lowest.
      if (least === undefined || others.length > 0) return [key, { count }];
      return [key, { count, lowest: { currency: least[0], amount: least[1] } }];
    }),
  );
}

/** Carriers that can be chosen, with what stands beside each. */
export function carrierChoices(
  carriers: readonly CarrierStatus[],
  choices: Choices,
): readonly { readonly id: string; readonly says: 'asking' | 'no answer' | undefined }[] {
  return carriers.flatMap(({ carrier: id, state }) => {
    if (choices.has(`carriers:${id}`)) return { id, says: undefined };
    if (state === 'running') return { id, says: 'asking' };
    return state === 'ok' || state === 'empty' ? [] : { id, says: 'no answer' };
  });
}

function changesOf({ transfers }: Journey): string {
  return String(Math.min(transfers, 2));
}

function bandOf({ departure }: Journey): string {
  const hour = Number(clockOf(departure).slice(0, 2));
  return BANDS.find(([, until]) => hour < until)?.[0] ?? '0';
}

/** True if a ticket can be changed, or money comes back, also in part. */
function allows({ flexibility, conditions }: Offer, what: string): boolean {
  const said = what === 'change' ? conditions?.exchange : conditions?.refund;
  if (said !== undefined && said !== 'unknown') return said !== 'no';
  return flexibility === 'full' || flexibility === 'semi';
}
