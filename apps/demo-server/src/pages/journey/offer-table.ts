import { formatMoney, type Offer, type OfferConditions, type Passenger } from '@ticketing/core';
import { html, type SafeHtml } from '../frame/html.ts';
import { type Names, nameOf } from './names.ts';

/** Renders offers, each with whom it is for and what may be done with it. */
export function offerTable(offers: readonly Offer[], names: Names): SafeHtml {
  const { carriers, passengers = [] } = names;
  const forWhom = passengers.length > 1 && html`<p>For ${partyText(passengers)}:</p>`;
  return html`${forWhom}<div class="offers" role="region" aria-label="Offers" tabindex="0"><table><thead><tr><th scope="col">Seller</th><th scope="col">Class</th><th scope="col">Fare</th><th scope="col">Seats left</th><th scope="col">Flexibility</th><th scope="col">Price</th></tr></thead><tbody>${offers.map(
    (offer) =>
      html`<tr><td>${nameOf(carriers, offer.seller)}</td><td>${offer.travelClass}</td><td>${offer.fareName ?? '–'}${offer.rides !== undefined && ` (train ${offer.rides.map((ride) => ride + 1).join(' + ')})`}</td><td>${offer.seatsLeft ?? '–'}</td><td>${conditionsOf(offer)}</td><td>${formatMoney(offer.total)}${buyers(offer, names)}</td></tr>`,
  )}</tbody></table></div>`;
}

/** Says whom an offer is for, where that is not everyone as they are. */
function buyers(
  { seller, passengers }: Offer,
  { adultsOnly, passengers: all = [] }: Names,
): string {
  const some = passengers ? all.filter((_, place) => passengers.includes(place)) : all;
  const isAdult = adultsOnly?.has(seller) && some.some(isChild);
  if (passengers === undefined && !isAdult) return '';
  return ` for ${isAdult ? partyText(some.map(() => ({}))) : partyText(some)}`;
}

/** Says who travels: `2 adults, 1 child`. */
function partyText(passengers: readonly Passenger[]): string {
  const children = passengers.filter(isChild).length;
  const adults = passengers.length - children;
  return [
    adults > 0 && (adults === 1 ? '1 adult' : `${adults} adults`),
    children > 0 && (children === 1 ? '1 child' : `${children} children`),
  ]
    .filter((part) => part !== false)
    .join(', ');
}

function isChild({ age = 18 }: Passenger): boolean {
  return age < 18;
}

const REFUND = { yes: 'refundable', fee: 'refund for a fee', no: 'no refund', unknown: '' };
const EXCHANGE = { yes: 'exchangeable', fee: 'exchange for a fee', no: 'no exchange', unknown: '' };

function conditionsOf({ flexibility, conditions }: Offer): SafeHtml | string {
  if (conditions === undefined) return flexibility;
  const { refund, exchange, text }: OfferConditions = conditions;
  const known = [REFUND[refund], EXCHANGE[exchange]].filter((one) => one !== '');
  return html`${known.length > 0 ? known.join(', ') : flexibility}${text !== undefined && html` <small>${text}</small>`}`;
}
