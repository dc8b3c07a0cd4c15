import type { Journey, RideLeg } from '@ticketing/core';
import { html, type SafeHtml } from '../frame/html.ts';
import { countText } from './display-texts.ts';

/** Ids of the journeys that stand out in a list. */
export interface Leaders {
  readonly best?: string | undefined;
  readonly cheapest?: string | undefined;
  readonly fastest?: string | undefined;
}

/** Most tickets left of which the number is shown. */
const FEW_SEATS = 5;
/** Minutes from which a delay is a bad one. */
const VERY_LATE = 10;

/** Words on a row, and what they mean. */
export interface Badge {
  readonly tone: 'good' | 'warn' | 'bad' | 'accent';
  readonly text: string;
}

/** Returns the one badge of a row: what is wrong first, then what stands out, then what runs out. */
export function badgeOf(journey: Journey, leaders: Leaders): Badge | undefined {
  const { id } = journey;
  if (isCancelled(journey)) return { tone: 'bad', text: 'Cancelled' };
  const late = minutesLate(journey);
  if (late > 0) return { tone: late < VERY_LATE ? 'warn' : 'bad', text: `${late} min late` };
  if (isSplit(journey)) return { tone: 'warn', text: 'Two tickets' };
  if (id === leaders.best) {
    return { tone: 'accent', text: id === leaders.cheapest ? 'Best, cheapest' : 'Best' };
  }
  if (id === leaders.cheapest) return { tone: 'good', text: 'Cheapest' };
  if (id === leaders.fastest) return { tone: 'accent', text: 'Fastest' };
  const seats = seatsLeft(journey);
  return seats !== undefined && seats <= FEW_SEATS
    ? { tone: 'warn', text: `${countText(seats, 'seat')} left` }
    : undefined;
}

/** Renders the badge of a row. */
export function journeyBadge(journey: Journey, leaders: Leaders): SafeHtml | false {
  const badge = badgeOf(journey, leaders);
  return badge !== undefined && html`<span class="badge ${badge.tone}">${badge.text}</span>`;
}

/** Returns whether a train of a journey does not run. */
export function isCancelled({ legs }: Journey): boolean {
  return legs.some((leg) => leg.kind === 'ride' && leg.cancelled);
}

/** Returns whether a journey is sold apart in parts, and a connection between them is not protected. */
export function isSplit({ legs }: Journey): boolean {
  return legs.some((leg) => leg.kind === 'transfer' && leg.selfTransfer);
}

/** True if no carrier that knows prices has a seat. */
export function isSoldOut({ offers, sources, unpriced = [] }: Journey): boolean {
  return offers.length === 0 && sources.length > unpriced.length;
}

/** Minutes by which the first train leaves late, or else the last one arrives late. */
function minutesLate({ legs }: Journey): number {
  const rides = legs.filter((leg): leg is RideLeg => leg.kind === 'ride');
  const [first, last] = [rides[0], rides.at(-1)];
  const minutes = (planned = 0, expected = planned): number =>
    Math.round((expected - planned) / 60_000);
  const leaves = minutes(first?.departure.ms, first?.expectedDeparture?.ms);
  return leaves > 0 ? leaves : minutes(last?.arrival.ms, last?.expectedArrival?.ms);
}

/** Seats of the cheapest offer, where its seller reports how many. */
function seatsLeft({ offers }: Journey): number | undefined {
  return offers.find(({ rides, passengers }) => rides === undefined && passengers === undefined)
    ?.seatsLeft;
}
