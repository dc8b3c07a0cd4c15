import type { Journey, Leg, RideLeg } from '@ticketing/core';
import { html, type SafeHtml } from '../frame/html.ts';

/** A journey as a line: where trains run, and the middles of the waits between them, as shares of its length. */
export interface BarShape {
  readonly rides: readonly (readonly [from: number, to: number])[];
  readonly changes: readonly number[];
}

/** Returns the line of a journey, from its first departure to its last arrival. */
export function barShape(legs: readonly Leg[]): BarShape {
  const rides = legs.filter((leg): leg is RideLeg => leg.kind === 'ride');
  const [first, last] = [rides[0], rides.at(-1)];
  if (first === undefined || last === undefined) return { rides: [], changes: [] };
  const start = first.departure.ms;
  const whole = Math.max(1, last.arrival.ms - start);
  const shareOf = (ms: number): number => Math.min(1, Math.max(0, (ms - start) / whole));
  const shares = rides.map(
    ({ departure, arrival }) => [shareOf(departure.ms), shareOf(arrival.ms)] as const,
  );
  const changes = shares.slice(1).map(([from], at) => (from + (shares[at]?.[1] ?? from)) / 2);
  return { rides: shares, changes };
}

/** Returns how long the line of a journey is beside that of the longest in the list, as an SVG length. */
export function barWidth({ durationMinutes }: Journey, longestMinutes: number): string {
  return percent(Math.min(1, durationMinutes / Math.max(1, longestMinutes)));
}

/** Renders the line of a journey. Its width alone depends on the list that it is in. */
export function journeyBar(journey: Journey, longestMinutes: number): SafeHtml {
  const { rides, changes } = barShape(journey.legs);
  const waits = rides.slice(1).map(([to], at) => [rides[at]?.[1] ?? to, to] as const);
  return html`<span class="track"><svg class="bar" width="${barWidth(journey, longestMinutes)}" height="12" aria-hidden="true">${rides.map(
    ([from, to]) =>
      html`<rect class="ride" x="${percent(from)}" y="4.5" width="${percent(Math.max(0, to - from))}" height="3" rx="1.5"/>`,
  )}${waits.map(
    ([from, to]) =>
      html`<line class="wait" x1="${percent(from)}" x2="${percent(to)}" y1="6" y2="6"/>`,
  )}<circle class="end" cx="0" cy="6" r="3"/><circle class="end" cx="100%" cy="6" r="3"/>${changes.map(
    (at) => html`<circle class="change" cx="${percent(at)}" cy="6" r="4"/>`,
  )}</svg></span>`;
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10}%`;
}
