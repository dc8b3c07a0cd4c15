import {
  formatMoney,
  type Journey,
  type Leg,
  lowestTotals,
  type Offer,
  type RideLeg,
  type TimeAt,
} from '@ticketing/core';
import { html, type SafeHtml } from './html.ts';

/** Display names by id; what is missing is shown by its id. */
export interface Names {
  readonly stations: ReadonlyMap<string, string>;
  readonly carriers: ReadonlyMap<string, string>;
  /** How a carrier is asked, after its name. */
  readonly calls: ReadonlyMap<string, string>;
  /** The day that was asked for: journeys of another one say theirs. */
  readonly day?: string | undefined;
}

/** Renders a journey as an item of the list: one line, and all legs and offers below it. */
export function journeyRow(journey: Journey, names: Names): SafeHtml {
  const { id, departure, arrival, durationMinutes, transfers } = journey;
  const days = daysBetween(departure, arrival);
  const day = departure.iso.slice(0, 10);
  return html`<li class="journey" id="${id}"><details><summary>
<span class="times"><time datetime="${departure.iso.slice(0, 25)}">${clockOf(departure)}</time> <span aria-hidden="true">–</span><span class="hidden">to</span> <time datetime="${arrival.iso.slice(0, 25)}">${clockOf(arrival)}</time>${days > 0 && html`<sup title="${dayTitle(days)}">+${days}</sup>`}${names.day !== undefined && day !== names.day && html` <small>${day}</small>`}</span>
<span class="duration">${durationText(durationMinutes)}</span>
<span class="changes">${changesText(transfers)}</span>
<span class="train">${trainText(journey)}</span>
<span class="price">${price(journey)}</span>
</summary>${details(journey, names)}</details></li>`;
}

/** The least price, that of each currency where there are several: which is less nobody says. */
function price(journey: Journey): SafeHtml | string {
  const totals = lowestTotals(journey);
  if (totals.length > 0) return totals.map(formatMoney).join(' or ');
  // A journey that only such sources list as know no price is not sold out.
  return html`<span class="sold-out">${isSoldOut(journey) ? 'sold out' : 'price at the carrier'}</span>`;
}

function isSoldOut({ offers, sources, unpriced = [] }: Journey): boolean {
  return offers.length === 0 && sources.length > unpriced.length;
}

function details(journey: Journey, names: Names): SafeHtml {
  const { legs, offers, conflicts = [], sources } = journey;
  return html`<div class="details"><ol class="legs">${legs.map((leg) => legItem(leg, names))}</ol>
${offers.length > 0 ? offerTable(offers, names) : isSoldOut(journey) && html`<p>No seller has seats left.</p>`}
${conflicts.map(({ field, source, value }) => html`<p class="conflict">${nameOf(names.carriers, source)} says that the ${field} is at ${clockOf(value)}.</p>`)}
<p class="sources">Listed by ${sources.map((source) => nameOf(names.carriers, source)).join(', ')}.</p></div>`;
}

function legItem(leg: Leg, { stations }: Names): SafeHtml {
  const [from, to] = [leg.origin, leg.destination].map((id) => nameOf(stations, id));
  if (leg.kind === 'transfer') {
    if (leg.nearby) return html`<li>${to} is near ${from}</li>`;
    return html`<li>${leg.minutes} min from ${from} to ${to}${leg.risk && html`, <b>missed</b>`}</li>`;
  }
  const stays = (leg.sections ?? []).slice(1);
  return html`<li><b>${clockOf(leg.departure)}</b> ${from} <span aria-hidden="true">→</span><span class="hidden">to</span> <b>${clockOf(leg.arrival)}</b> ${to} <span class="train">${leg.cancelled && html`<b>cancelled</b> `}${rideText(leg)}${leg.operator !== undefined && `, ${leg.operator}`}${stays.map(({ origin }) => `, stay in the train at ${nameOf(stations, origin)}`)}</span></li>`;
}

function offerTable(offers: readonly Offer[], { carriers }: Names): SafeHtml {
  return html`<div class="offers" role="region" aria-label="Offers" tabindex="0"><table><thead><tr><th scope="col">Seller</th><th scope="col">Class</th><th scope="col">Fare</th><th scope="col">Flexibility</th><th scope="col">Seats left</th><th scope="col">Price</th></tr></thead><tbody>${offers.map(
    (offer) =>
      html`<tr><td>${nameOf(carriers, offer.seller)}</td><td>${offer.travelClass}</td><td>${offer.fareName ?? '–'}${offer.rides !== undefined && ` (train ${offer.rides.map((ride) => ride + 1).join(' + ')})`}</td><td>${offer.flexibility}</td><td>${offer.seatsLeft ?? '–'}</td><td>${formatMoney(offer.total)}</td></tr>`,
  )}</tbody></table></div>`;
}

/** Formats the time at the station, whatever the zone of the reader. */
export function clockOf({ iso }: TimeAt): string {
  return iso.slice(11, 16);
}

function daysBetween(departure: TimeAt, arrival: TimeAt): number {
  const [from, to] = [departure, arrival].map(({ iso }) => Date.parse(iso.slice(0, 10)));
  return Math.round(((to ?? 0) - (from ?? 0)) / 86_400_000);
}

function dayTitle(days: number): string {
  return days === 1 ? 'arrives on the next day' : `arrives ${days} days later`;
}

/** Formats minutes as `2 h 05`. */
function durationText(minutes: number): string {
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')}`;
}

function changesText(transfers: number): string {
  if (transfers === 0) return 'direct';
  return transfers === 1 ? '1 change' : `${transfers} changes`;
}

function trainText({ legs }: Journey): string {
  return legs
    .filter((leg) => leg.kind === 'ride')
    .map(rideText)
    .join(' + ');
}

function rideText({ brand = 'Train', number = '' }: RideLeg): string {
  return `${brand} ${number}`.trim();
}

function nameOf(names: ReadonlyMap<string, string>, id: string): string {
  return names.get(id) ?? id;
}
