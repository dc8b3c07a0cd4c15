import {
  type Journey,
  type JourneyOrder,
  lowestTotals,
  type Money,
  sortJourneys,
} from '@ticketing/core';
import { isCancelled, isSoldOut, type Leaders } from '../journey/journey-badge.ts';

/** Order of the page where the address has none. */
export const USUAL_ORDER: JourneyOrder = 'best';

/** Orders that compare what can be booked. */
const COMPARES: ReadonlySet<JourneyOrder> = new Set(['best', 'price', 'duration']);

/** An item of the list: a journey, or the heading of a day. */
export type ListItem =
  | { readonly kind: 'journey'; readonly id: string; readonly journey: Journey }
  | { readonly kind: 'day'; readonly id: string; readonly day: string };

/**
 * Sorts journeys as the page shows them. Where an order compares prices or durations, journeys that cannot be booked come last.
 */
export function sortForPage(journeys: readonly Journey[], order: JourneyOrder): Journey[] {
  if (!COMPARES.has(order)) return sortJourneys(journeys, order);
  const others = journeys.filter((one) => !isBookable(one));
  return [...sortJourneys(journeys.filter(isBookable), order), ...sortJourneys(others, order)];
}

/**
 * Returns the items of the list: first the journeys of the day that was asked for, then each other day below its heading, later
 * days before earlier ones, so that nothing that was read moves when more come.
 */
export function listItems(
  journeys: readonly Journey[],
  { order, day: asked }: { readonly order: JourneyOrder; readonly day?: string | undefined },
): ListItem[] {
  const byDay = new Map<string, Journey[]>();
  for (const journey of journeys) {
    const day = dayOf(journey);
    const own = byDay.get(day);
    if (own === undefined) byDay.set(day, [journey]);
    else own.push(journey);
  }
  const others = [...byDay.keys()].filter((day) => day !== asked).sort();
  const later = others.filter((day) => asked === undefined || day > asked);
  const earlier = others.filter((day) => asked !== undefined && day < asked).reverse();
  const isHeaded = (day: string): boolean => asked !== undefined && day !== asked;
  return [...(asked === undefined ? [] : [asked]), ...later, ...earlier].flatMap((day) => [
    ...(isHeaded(day) ? [{ kind: 'day', id: `day-${day}`, day } as const] : []),
    ...sortForPage(byDay.get(day) ?? [], order).map(
      (journey) => ({ kind: 'journey', id: journey.id, journey }) as const,
    ),
  ]);
}

/** Journeys that stand out: of the day that was asked for, if it has any. */
export interface Leading {
  readonly best?: Journey | undefined;
  readonly cheapest?: Journey | undefined;
  readonly fastest?: Journey | undefined;
}

/** Returns the journeys that stand out among the bookable ones. */
export function leadersOf(journeys: readonly Journey[], day?: string): Leading {
  const bookable = journeys.filter(isBookable);
  const own = bookable.filter((one) => dayOf(one) === day);
  const among = own.length > 0 ? own : bookable;
  const first = (order: JourneyOrder): Journey | undefined => sortJourneys(among, order)[0];
  const [best, cheapest] = [first('best'), first('price')];
  const priced = (journey: Journey | undefined) =>
    journey && hasPrice(journey) ? journey : undefined;
  return { best: priced(best), cheapest: priced(cheapest), fastest: first('duration') };
}

/** Returns the ids of what stands out. */
export function leaderIds({ best, cheapest, fastest }: Leading): Leaders {
  return { best: best?.id, cheapest: cheapest?.id, fastest: fastest?.id };
}

/** Returns the lowest price of journeys in the currency that most of them have. */
export function lowestPrice(journeys: readonly Journey[]): Money | undefined {
  const cheapest = leadersOf(journeys).cheapest;
  return cheapest && lowestTotals(cheapest)[0];
}

/** Minutes of the longest journey: the whole length of a line. */
export function longestOf(journeys: readonly Journey[]): number {
  return journeys.reduce((most, { durationMinutes }) => Math.max(most, durationMinutes), 0);
}

/** Returns the day on which a journey begins, where it begins. */
export function dayOf({ departure }: Journey): string {
  return departure.iso.slice(0, 10);
}

function isBookable(journey: Journey): boolean {
  return !isSoldOut(journey) && !isCancelled(journey);
}

function hasPrice(journey: Journey): boolean {
  return lowestTotals(journey).length > 0;
}
