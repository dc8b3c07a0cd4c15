import type { Journey, Offer } from '@ticketing/core';
import { carrierMark } from '../frame/carrier-mark.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { countText, isChild, partyText, priceText } from './display-texts.ts';
import { isSoldOut } from './journey-badge.ts';
import { type Names, nameOf } from './names.ts';
import { convertedText } from './price-texts.ts';

/** Most tickets left of which the number is shown. */
const FEW_SEATS = 5;

/** Renders one box for each fare, with what may be done with it and everyone who sells it. */
export function ticketBoxes(journey: Journey, names: Names): SafeHtml | false {
  const { passengers } = names;
  if (journey.offers.length === 0) {
    return isSoldOut(journey) && html`<p>No seller has seats left.</p>`;
  }
  return html`<h2>${passengers ? `Tickets for ${partyText(passengers)}` : 'Tickets'}</h2>${fares(journey.offers).map((fare) => ticketBox(fare, names))}`;
}

/** Offers of the same fare, cheapest first, each seller once. Never empty. */
type Fare = readonly [cheapest: Offer, ...others: Offer[]];

/** Returns the offers by their fares, in the order of the cheapest of each. */
export function fares(offers: readonly Offer[]): Fare[] {
  const byFare = new Map<string, [Offer, ...Offer[]]>();
  for (const offer of offers) {
    const { fareName, travelClass, flexibility, conditions, rides, passengers } = offer;
    const key = JSON.stringify([fareName, travelClass, flexibility, conditions, rides, passengers]);
    const fare = byFare.get(key);
    if (fare === undefined) byFare.set(key, [offer]);
    else if (!fare.some(({ seller, total }) => isSame(offer, seller, total.currency)))
      fare.push(offer);
  }
  return [...byFare.values()];
}

function isSame({ seller, total }: Offer, other: string, currency: string): boolean {
  return seller === other && total.currency === currency;
}

function ticketBox(fare: Fare, names: Names): SafeHtml {
  const [first] = fare;
  const { lang, carriers } = names;
  const text = first.conditions?.text;
  return html`<div class="ticket"><p class="fare"><span>${first.fareName ?? 'Ticket'}${first.rides !== undefined && html` <small>train ${first.rides.map((ride) => ride + 1).join(' + ')}</small>`}</span><span class="num">${ownPrice(first, lang)}</span></p><p>${[CLASSES[first.travelClass], conditionsText(first)].filter((part) => part !== '').join(' · ')}</p>${
    text !== undefined && html`<p class="muted">${text}</p>`
  }<ul>${fare.map(
    (offer) =>
      html`<li>${carrierMark(offer.seller, nameOf(carriers, offer.seller), 'small')}<span>${nameOf(carriers, offer.seller)}${buyers(offer, names)}</span>${seats(offer)}<span class="num">${ownPrice(offer, lang)}</span></li>`,
  )}</ul></div>`;
}

/** The seller's price, and what it is in the currency of the search. */
function ownPrice(offer: Offer, lang?: string): SafeHtml {
  const about = convertedText(offer, lang);
  return html`${priceText(offer.total, lang)}${about !== undefined && html` <small>${about}</small>`}`;
}

const CLASSES = { first: 'First class', second: 'Second class', any: '' };

function seats({ seatsLeft }: Offer): SafeHtml | false {
  if (seatsLeft === undefined) return false;
  const text = `${countText(seatsLeft, 'seat')} left`;
  return seatsLeft <= FEW_SEATS
    ? html`<span class="badge warn">${text}</span>`
    : html`<span class="muted">${text}</span>`;
}

/** Returns the passengers of an offer in words, where it is not for all of them as they are. */
function buyers(
  { seller, passengers }: Offer,
  { adultsOnly, passengers: all = [] }: Names,
): string {
  const some = passengers ? all.filter((_, place) => passengers.includes(place)) : all;
  const isAdult = adultsOnly?.has(seller) && some.some(isChild);
  if (passengers === undefined && !isAdult) return '';
  return ` for ${isAdult ? partyText(some.map(() => ({}))) : partyText(some)}`;
}

const FLEXIBILITY = {
  none: 'no changes, no refund',
  semi: 'changes for a fee, part of the price back',
  full: 'free changes, full refund',
  unknown: 'conditions at the seller',
};
const EXCHANGE = { yes: 'free changes', fee: 'changes for a fee', no: 'no changes', unknown: '' };
const REFUND = { yes: 'full refund', fee: 'part of the price back', no: 'no refund', unknown: '' };

/** Returns the conditions of a ticket in words, as far as its seller reports them. */
function conditionsText({ flexibility, conditions }: Offer): string {
  if (conditions === undefined) return FLEXIBILITY[flexibility];
  const known = [EXCHANGE[conditions.exchange], REFUND[conditions.refund]].filter(Boolean);
  return known.length > 0 ? known.join(', ') : FLEXIBILITY[flexibility];
}
