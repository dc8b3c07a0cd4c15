import { formatMoney, type Journey, lowestTotals, type TimeAt } from '@ticketing/core';
import { html, type SafeHtml } from '../frame/html.ts';
import { legItem, remarkLines } from './leg-item.ts';
import { clockOf, type Names, nameOf, rideText } from './names.ts';
import { offerTable } from './offer-table.ts';

/** Renders a journey as an item of the list: one line, and all legs and offers below it, or `false` until they are asked for. */
export function journeyRow(
  journey: Journey,
  names: Names,
  below: SafeHtml | false = journeyDetails(journey, names),
): SafeHtml {
  const { id, departure, arrival, durationMinutes, transfers } = journey;
  const days = daysBetween(departure, arrival);
  const day = departure.iso.slice(0, 10);
  return html`<li class="journey" id="${id}"><details><summary>
<span class="times"><time datetime="${departure.iso.slice(0, 25)}">${clockOf(departure)}</time> <span aria-hidden="true">–</span><span class="hidden">to</span> <time datetime="${arrival.iso.slice(0, 25)}">${clockOf(arrival)}</time>${days > 0 && html`<sup title="${dayTitle(days)}">+${days}</sup>`}${names.day !== undefined && day !== names.day && html` <small>${day}</small>`}</span>
<span class="duration">${durationText(durationMinutes)}</span>
<span class="changes">${changesText(transfers)}${riskText(journey)}</span>
<span class="train">${trainText(journey)}</span>
<span class="price">${price(journey)}</span>
</summary>${below}</details></li>`;
}

/** The least price, that of each currency where there are several: which is less nobody says. */
function price(journey: Journey): SafeHtml | string {
  const totals = lowestTotals(journey);
  if (totals.length > 0) return totals.map(formatMoney).join(' or ');
  // A journey that only such sources list as know no price is not sold out.
  return html`<span class="sold-out">${isSoldOut(journey) ? 'sold out' : journey.offers.length > 0 ? 'prices for parts' : 'price at the carrier'}</span>`;
}

function isSoldOut({ offers, sources, unpriced = [] }: Journey): boolean {
  return offers.length === 0 && sources.length > unpriced.length;
}

/** Renders the legs and offers of a journey. */
export function journeyDetails(journey: Journey, names: Names): SafeHtml {
  const { legs, offers, conflicts = [], sources, remarks } = journey;
  return html`<div class="details">${remarkLines(remarks)}<ol class="legs">${legs.map((leg) => legItem(leg, names))}</ol>
${offers.length > 0 ? offerTable(offers, names) : isSoldOut(journey) && html`<p>No seller has seats left.</p>`}
${conflicts.map(({ field, source, value }) => html`<p class="conflict">${nameOf(names.carriers, source)} says that the ${field} is at ${clockOf(value)}.</p>`)}
<p class="sources">Listed by ${sources.map((source) => nameOf(names.carriers, source)).join(', ')}.</p></div>`;
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

/** The worst of a journey's connections. */
function riskText({ legs }: Journey): SafeHtml | false {
  const risks = legs.flatMap((leg) => (leg.kind === 'transfer' && leg.risk) || []);
  const worst = risks.find((risk) => risk === 'missed') ?? risks[0];
  return worst !== undefined && html`, <b class="news">${worst}</b>`;
}

function trainText({ legs }: Journey): string {
  return legs
    .filter((leg) => leg.kind === 'ride')
    .map(rideText)
    .join(' + ');
}
