import type { Journey, RideLeg, TimeAt } from '@ticketing/core';
import { html, type SafeHtml } from '../frame/html.ts';
import { icon } from '../frame/icons.ts';
import { co2Text } from './co2-texts.ts';
import { changesText, countText, durationText } from './display-texts.ts';
import { isCancelled, isSoldOut, isSplit, journeyBadge, type Leaders } from './journey-badge.ts';
import { journeyBar } from './journey-bar.ts';
import { clockOf, type Names, nameOf, operatorOf, rideText, stationParts } from './names.ts';
import { operatorMark } from './operator-mark.ts';
import { leastPrice } from './price-texts.ts';

/** The list that a row is in. */
export interface RowPlace {
  readonly longestMinutes: number;
  readonly leaders: Leaders;
}

/** Renders a journey as an item of the list: one line, and all legs and offers below it, or `false` until they are asked for. */
export function journeyRow(
  journey: Journey,
  {
    names,
    place,
    below,
  }: {
    readonly names: Names;
    readonly place: RowPlace;
    readonly below: SafeHtml | false;
  },
): SafeHtml {
  const { id, transfers, durationMinutes } = journey;
  const rides = journey.legs.filter((leg): leg is RideLeg => leg.kind === 'ride');
  const [first, last] = [rides[0], rides.at(-1)];
  const isQuiet = isSoldOut(journey) || isCancelled(journey);
  const isCheapest = id === place.leaders.cheapest;
  return html`<li class="journey${isQuiet && ' sold'}${isCheapest && ' cheapest'}" id="${id}"><details><summary>
<span class="run">${timeAt(journey.departure, first?.expectedDeparture)}${journeyBar(journey, place.longestMinutes)}<span class="sr"> to </span>${timeAt(journey.arrival, last?.expectedArrival, journey.departure)}<span class="ends">${first && end(first.origin, { names, time: planned(first.departure, first.expectedDeparture) })}<small class="how">${durationText(durationMinutes)} · ${changesText(transfers)}${isSplit(journey) && html`, <b class="news">not protected</b>`}${riskText(journey)}${viaText(rides, names)}${co2Part(journey)}</small>${last && end(last.destination, { names, time: planned(last.arrival, last.expectedArrival) })}</span></span>
<span class="by">${markList(rides, names)}<span class="train"><b>${rides.map(rideText).join(' + ')}</b> <small>${operatorsText(rides, names)}</small></span></span>
<span class="flag">${journeyBadge(journey, place.leaders)}</span>
<span class="price">${price(journey, names)}</span>
${icon('down', 'chevron')}</summary>${below}</details></li>`;
}

/** The time that is expected, with the days that pass before it. */
function timeAt(time: TimeAt, expected?: TimeAt, since?: TimeAt): SafeHtml {
  const isChanged = expected !== undefined && clockOf(expected) !== clockOf(time);
  const shown = isChanged ? expected : time;
  const days = since === undefined ? 0 : daysBetween(since, shown);
  return html`<time datetime="${shown.iso.slice(0, 25)}"${isChanged && html` class="news"`}>${clockOf(shown)}${days > 0 && html`<sup title="${dayTitle(days)}">+${days}</sup>`}</time>`;
}

/** Renders the station where a journey begins or ends: its short name within the city, with the whole name for screen readers and as a tooltip. */
function end(
  station: string,
  { names, time }: { readonly names: Names; readonly time: SafeHtml | false },
): SafeHtml {
  const [city, name] = stationParts(station, names);
  return html`<small title="${city}${name}">${time}${city !== '' && html`<span class="sr">${city}</span>`}${name}</small>`;
}

function planned(time: TimeAt, expected?: TimeAt): SafeHtml | false {
  return (
    expected !== undefined &&
    clockOf(expected) !== clockOf(time) &&
    html`<s><span class="sr">planned </span>${clockOf(time)}</s> `
  );
}

/** Lowest price, converted by rates with the price to pay below it; of each currency where there are several, because nothing compares them. */
function price(journey: Journey, { lang, carriers }: Names): SafeHtml {
  const least = leastPrice(journey, lang);
  const { offers, unpriced = [] } = journey;
  if (isCancelled(journey)) return html`<b>Cancelled</b>`;
  if (least !== undefined) {
    const more = [least.paid, ...least.others.map((one) => `or ${one}`)].filter(Boolean).join(' ');
    return html`<b>${least.text}</b><small>${more || offerText(journey)}</small>`;
  }
  if (isSoldOut(journey)) return html`<b>Sold out</b>`;
  if (offers.length > 0) return html`<small>prices for parts</small>`;
  const [seller, ...sellers] = unpriced;
  // A journey that only such sources list as know no price is not sold out.
  return html`<small>price at ${seller !== undefined && sellers.length === 0 ? nameOf(carriers, seller) : 'the carrier'}</small>`;
}

/** Returns the number of sellers, or the name of the cheapest fare. */
function offerText({ offers }: Journey): string {
  const sellers = new Set(offers.map(({ seller }) => seller));
  return sellers.size > 1 ? countText(sellers.size, 'seller') : (offers[0]?.fareName ?? '');
}

/** The worst of a journey's connections. */
function riskText({ legs }: Journey): SafeHtml | false {
  const risks = legs.flatMap((leg) => (leg.kind === 'transfer' && leg.risk) || []);
  const worst = risks.find((risk) => risk === 'missed') ?? risks[0];
  return worst !== undefined && html`, <b class="news">${worst}</b>`;
}

function co2Part(journey: Journey): SafeHtml | false {
  const text = co2Text(journey);
  return text !== undefined && html`<span class="co2"> · ${text}</span>`;
}

/** Names the station of the only change. */
function viaText(rides: readonly RideLeg[], names: Names): SafeHtml | false {
  const [first, second, ...others] = rides;
  if (first === undefined || second === undefined || others.length > 0) return false;
  return html`<span class="at">, ${nameOf(names.stations, first.destination)}</span>`;
}

function markList(rides: readonly RideLeg[], names: Names): SafeHtml {
  const marks = new Map(rides.map((ride) => [String(operatorMark(ride, names)), ride]));
  return html`<span class="marks">${[...marks.values()].slice(0, 2).map((ride) => operatorMark(ride, names))}</span>`;
}

function operatorsText(rides: readonly RideLeg[], names: Names): string {
  return [...new Set(rides.flatMap((ride) => operatorOf(ride, names) ?? []))].join(', ');
}

function daysBetween(departure: TimeAt, arrival: TimeAt): number {
  const [from, to] = [departure, arrival].map(({ iso }) => Date.parse(iso.slice(0, 10)));
  return Math.round(((to ?? 0) - (from ?? 0)) / 86_400_000);
}

function dayTitle(days: number): string {
  return days === 1 ? 'arrives on the next day' : `arrives ${days} days later`;
}
